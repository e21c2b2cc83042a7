"""Write what is known about the graphs' regions."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.data.atlases import describe_atlas, load_aal, region_names
    from contrast_subgraphs.data.folder import load_subjects
    from contrast_subgraphs.data.regions import atlas_of

    sites = [load_subjects(path) for path in snakemake.input]
    # Without series the regions are AAL's; a site without subjects does not know its regions.
    codes = next((site.roi_code for site in sites if len(site)), load_aal()["code"])
    source = snakemake.params.source
    atlas = atlas_of(source) if source else None
    save_table(describe_atlas(region_names(codes), atlas), snakemake.output[0])
