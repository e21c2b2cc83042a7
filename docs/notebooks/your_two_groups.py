# %% [markdown]
# # Your two groups
#
# You have a connectivity matrix for each person, in two folders. This notebook goes from the files
# to what you can report: where the groups differ, whether that is more than chance, how large it is
# in people who did not choose the regions, and whether it holds in new people.

# %% [markdown]
# ## 1. Read the files
#
# One file for each person: CSV, TSV, NumPy, MATLAB and others. The cell below makes some, so that
# this notebook runs as it stands: leave it out, and give your own folders to `read_groups`.

# %%
from pathlib import Path

import numpy as np

REGIONS = [f"{side}{number}" for side in ("L", "R") for number in range(1, 21)]


def write_people(folder, extra, seed, people=30):
    """Write made matrices; `extra` strengthens the connections among eight regions."""
    rng = np.random.default_rng(seed)
    Path(folder).mkdir(parents=True)
    for person in range(people):
        series = rng.normal(size=(120, 40)) + 0.6 * rng.normal(size=(120, 1))
        series[:, 6:14] += extra * rng.normal(size=(120, 1))
        matrix = np.corrcoef(series.T)
        file = f"{folder}/{person:02d}.csv"
        np.savetxt(file, matrix, "%.4f", ",", header=",".join(REGIONS), comments="")


write_people("controls", 0, seed=1)
write_people("patients", 0.5, seed=2)

# %%
from contrast_subgraphs import read_groups

people = read_groups({"control": "controls/*.csv", "patient": "patients/*.csv"})
people

# %% [markdown]
# ## 2. Is there a difference?
#
# Decide on the penalties before you look at the result. Each shuffle of the labels searches the
# best set again, so `p` holds for the choice among all sets of regions; `p_familywise` also for the
# choice among these penalties and among the three contrasts.
#
# If people come from several sites, add `blocks=site`: labels are then shuffled within sites. If
# groups differ in age or motion, add `covariates={"age": age, "motion": motion}`.

# %%
from contrast_subgraphs import permutation_test

test = permutation_test(people, percentiles=[80, 90], n_permutations=500)
test

# %% [markdown]
# ## 3. Where is it?
#
# The set with the largest surplus, with its proof. `alternatives` lists other sets that are nearly
# as good: the more there are, the less the exact borders of the set mean.

# %%
from contrast_subgraphs import contrast_subgraph, difference_graph, plot_contrast

difference = difference_graph(people, "patient-control")
found = contrast_subgraph(difference, percentile=90, names=people.roi, alternatives=0.05)
print(", ".join(found.regions))
print("proved to be the best:", found.optimal)
print("sets within 5 % of it:", len(found.alternatives.sets))
plot_contrast(difference, found, title="more connected in patients")

# %% [markdown]
# How often is each region chosen by a random half of the people? Report regions that are chosen
# most of the time, and call the others uncertain.

# %%
from contrast_subgraphs import region_stability

region_stability(people, percentiles=[90], n_halves=50)

# %% [markdown]
# ## 4. How large is it?
#
# Inside the set that the same people chose, the difference is always large. So people are divided
# into five folds: the set is found without a fold, and measured inside it. The column `effect` is
# that difference, and `d` is Cohen's d.

# %%
from contrast_subgraphs import held_out_effect

held_out_effect(people, percentiles=[80, 90])

# %% [markdown]
# ## 5. Does it hold in new people?
#
# Name the set, and test it as it is in people who took no part in its choice. Nothing is searched
# again, so one set is tested and `p` needs no correction.

# %%
from contrast_subgraphs import confirm, named_set, save

save(found, "found.json")
claim = named_set(found.regions, people.roi, "patient-control", name="ours")
write_people("new/controls", 0, seed=3, people=15)
write_people("new/patients", 0.5, seed=4, people=15)
new = read_groups({"control": "new/controls/*.csv", "patient": "new/patients/*.csv"})
confirm(new, sets=claim)

# %% [markdown]
# ## 6. The whole report
#
# The same steps, accuracies with their controls, all pictures, and a text for your methods section
# come from one command:
#
# ```sh
# contrast-subgraphs init /data/study
# contrast-subgraphs run mine.yaml --cores 2
# ```
#
# What to put into the config: [your own data](../own_data.md). What each number means:
# [significance](../significance.md), [effect size](../effect_size.md),
# [replication](../replication.md).
