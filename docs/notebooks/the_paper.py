# %% [markdown]
# # The paper in ten minutes
#
# *Explainable Classification of Brain Networks via Contrast Subgraphs* (Lanciano, Bonchi and
# Gionis, KDD 2020) finds a few brain regions among which one group of people has many connections
# and the other has few, and classifies people by the connections inside. This notebook goes
# through the paper step by step, on data that it makes itself: 116 regions, two groups, and a
# difference in known regions. What the real data give is in [What it finds](../results.md).

# %% [markdown]
# ## 1. From time series to graphs
#
# Each person has a time series for each of the 116 regions of the AAL atlas. Two regions are
# connected if their correlation is among the strongest fifth of all pairs of this person.

# %%
import numpy as np
from contrast_subgraphs import correlation_graphs
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.data.simulated import PLANTED, Brain

atlas = load_aal()
brain = Brain(seed=1)
groups = {"asd": 1, "td": 2}
series = []
labels = []
for person in range(60):
    label = ("asd", "td")[person % 2]
    series.append(brain.draw(f"person-{person}", "ALDER", groups[label], effect=0.7))
    labels.append(label)
labels = np.array(labels)
graphs = correlation_graphs(series)
print(graphs.shape, "edges of each person:", int(graphs[0].sum()) // 2)

# %% [markdown]
# ## 2. The difference graph
#
# For each pair of regions: the share of typically developing people (TD) who have the edge, minus
# the share of people with autism (ASD).

# %%
from contrast_subgraphs import difference_graph

difference = difference_graph(graphs, labels, "td-asd")
pairs = difference[np.triu_indices(116, k=1)]
print(f"from {pairs.min():.2f} to {pairs.max():.2f}, on average {pairs.mean():.3f}")

# %% [markdown]
# ## 3. The contrast subgraph
#
# The set of regions with the largest sum of (difference - alpha) over its pairs. Alpha is a
# percentile of the weights: the higher it is, the smaller the set. The paper searches for a good
# set; here the set is also *proved* to be the best.

# %%
from contrast_subgraphs import contrast_subgraph

found = contrast_subgraph(difference, percentile=90, names=atlas["name"])
found

# %% [markdown]
# The regions among which TD people were made to have more connections are known here:

# %%
planted = set(PLANTED["td-asd"])
both = planted & set(found.regions)
print(f"{len(both)} of the {len(planted)} planted regions are among the {len(found.regions)} found")

# %%
from contrast_subgraphs import plot_contrast

plot_contrast(difference, found, atlas, title="more connections in TD")

# %% [markdown]
# ## 4. Two numbers for each person
#
# The edges inside the contrast subgraph of each direction. They can be plotted, and a classifier
# that uses them can be read.

# %%
import matplotlib.pyplot as plt
from contrast_subgraphs import ContrastSubgraphFeatures

features = ContrastSubgraphFeatures(percentile=90)
numbers = features.fit_transform(graphs, labels)
figure, axes = plt.subplots(figsize=(4, 3))
for label in groups:
    mine = numbers[labels == label]
    axes.scatter(mine[:, 0], mine[:, 1], label=label, alpha=0.7)
axes.set_xlabel(features.get_feature_names_out()[0])
axes.set_ylabel(features.get_feature_names_out()[1])
legend = axes.legend()

# %% [markdown]
# ## 5. Why the accuracy is too good
#
# The picture separates the groups well, but the sets were chosen with the help of the same people.
# The paper classifies like this: sets from all people, then cross-validation of the classifier
# alone. To see what that is worth, shuffle the labels so that there is nothing to find.

# %%
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


def accuracy_of_the_paper(y):
    """Return the accuracy if the sets come from all people, those of the test parts included."""
    chosen = ContrastSubgraphFeatures(percentile=90).fit_transform(graphs, y)
    classifier = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    return cross_val_score(classifier, chosen, y, cv=5).mean()


def accuracy_in_new_people(y):
    """Return the accuracy if everything is chosen inside the training part."""
    features = ContrastSubgraphFeatures(percentile=90)
    classifier = make_pipeline(features, StandardScaler(), SVC(kernel="linear"))
    return cross_val_score(classifier, graphs, y, cv=5).mean()


rng = np.random.default_rng(0)
shuffled = [rng.permutation(labels) for _ in range(10)]
for name, accuracy in (
    ("sets from all people", accuracy_of_the_paper),
    ("sets from the training part", accuracy_in_new_people),
):
    chance = np.mean([accuracy(y) for y in shuffled])
    print(f"{name}: {accuracy(labels):.2f}, with shuffled labels {chance:.2f}")

# %% [markdown]
# With sets from all people, shuffled labels are "classified" far better than by tossing a coin:
# the first line says little about new people, and the second is the one to report. On the real
# data the same happens ([numbers](../results.md)).

# %% [markdown]
# ## 6. Is the difference more than chance?
#
# A contrast subgraph is always found. The test shuffles the labels, searches for the best set
# again, and counts how often it is as good.

# %%
from contrast_subgraphs import permutation_test

permutation_test(graphs, labels, percentiles=[90], n_permutations=200)

# %% [markdown]
# ## The whole paper
#
# All tables and figures from the public data, with the paper's numbers next to them:
#
# ```sh
# snakemake --cores 2 --configfile examples/published.yaml
# ```
#
# [How to run it](../running.md), [what it finds](../results.md), and
# [the paper, rule by rule](../paper.md).
