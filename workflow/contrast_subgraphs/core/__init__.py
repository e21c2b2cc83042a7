"""What every stage uses: errors, files, seeds, processes, graphs and their atlas."""
