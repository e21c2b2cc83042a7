"""The page in a real browser: no error, no request, tables, tabs, 3-D view, sizes, axe."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest
from contrast_subgraphs.report.figures import FIGURES
from contrast_subgraphs.report.figures.figure import View
from contrast_subgraphs.report.figures.style import save
from contrast_subgraphs.report.page import build_report
from contrast_subgraphs.report.provenance import collect_provenance
from contrast_subgraphs.report.results import Results
from pictures import looks_as_stored
from small_report import write_run

selenium = pytest.importorskip("selenium", reason="selenium is not installed (extra `dev`)")

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="chromium and chromedriver are not installed (Debian: chromium chromium-driver)",
)

WIDTHS = (320, 390, 900, 1440)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1440,900",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory, root):
    """The report of the small run, as a file."""
    folder = tmp_path_factory.mktemp("report")
    run = write_run(folder, root)
    files = {"graphs": list(run["graphs"].values()), "contrasts": run["contrasts"]}
    view = View(Results(run["config"], **files, atlas=[run["atlas"]]), "children")
    for name in ("example", "contrast_large", "cohorts"):
        save(FIGURES[name].draw(view), folder / f"figures/{name}.png")
    build_report(
        folder / "report.html",
        **{key: run[key] for key in ("config", "tables", "contrasts", "graphs", "atlas")},
        figures=sorted((folder / "figures").glob("*.png")),
        provenance=collect_provenance(run["config"], run["graphs"].values(), root),
    )
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(page, tmp_path_factory):
    """Chromium with the page loaded."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_page_load_timeout(120)
    driver.set_script_timeout(120)
    try:
        driver.get("about:blank")
        driver.get_log("performance")  # what the browser's own first page asked for
        driver.get(page.as_uri())
        yield driver
    finally:
        driver.quit()


def wait(browser, script, seconds=90):
    """Wait until a script returns something true."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds).until(lambda b: b.execute_script("return " + script))


def find(browser, css):
    return browser.find_element("css selector", css)


def click(browser, css):
    """Click in the middle of the window, away from the bar of sections."""
    element = find(browser, css)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def column(browser, table, number):
    return browser.execute_script(
        "return Array.from(document.querySelectorAll(arguments[0])).map(c => c.textContent)",
        f"#{table} tbody td:nth-child({number})",
    )


def pixels(browser):
    """The 3-D view as a picture."""
    return browser.execute_async_script(
        "const done = arguments[0];"
        "Plotly.toImage('viewer-plot', {format: 'png', width: 240, height: 200}).then(done);"
    )


DRAWN = (
    "document.querySelector('#viewer-plot canvas') && "
    "!!document.querySelector('#viewer-plot')._fullLayout"
)


def test_loads_without_an_error_or_a_request(browser, page):
    import json

    wait(browser, DRAWN)
    asked = [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    asked = [url for url in asked if not url.startswith(("data:", "blob:", "chrome:"))]
    assert set(asked) == {page.as_uri()}
    complaints = [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert not complaints


def test_tables_sort_by_number_and_by_word(browser):
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    headings = browser.find_elements("css selector", "#table-accuracy thead th")
    texts = [heading.text for heading in headings]
    ours = next(i for i, text in enumerate(texts) if text.startswith("Ours, paper"))
    before = column(browser, "table-accuracy", ours + 1)
    button = headings[ours].find_element("tag name", "button")
    button.click()
    values = [float(v.split()[0]) for v in column(browser, "table-accuracy", ours + 1)]
    assert values == sorted(values, reverse=True) and len(set(values)) > 1
    assert headings[ours].get_attribute("aria-sort") == "descending"
    button.send_keys("\ue007")  # Enter
    values = [float(v.split()[0]) for v in column(browser, "table-accuracy", ours + 1)]
    assert values == sorted(values)
    assert headings[ours].get_attribute("aria-sort") == "ascending"
    headings[1].find_element("tag name", "button").click()
    methods = column(browser, "table-accuracy", 2)
    assert methods == sorted(methods, key=str.lower)
    assert headings[ours].get_attribute("aria-sort") is None
    assert sorted(column(browser, "table-accuracy", ours + 1)) == sorted(before)


def test_3d_view_draws_and_turns(browser):
    wait(browser, DRAWN)
    first = pixels(browser)
    assert len(first) > 5000
    click(browser, "button[data-view='top']")
    wait(browser, "document.querySelector('#viewer-plot').layout.scene.camera.eye.z > 1.2")
    from_above = pixels(browser)
    assert from_above != first
    click(browser, "button[data-turn='1']")
    plot = find(browser, "#viewer-plot")
    browser.execute_script("arguments[0].focus()", plot)
    eye = "document.querySelector('#viewer-plot').layout.scene.camera.eye"
    click(browser, "button[data-view='front']")
    wait(browser, f"{eye}.y > 1.2")
    plot.send_keys("\ue014")  # arrow right
    wait(browser, f"{eye}.x < -0.2")
    assert pixels(browser) != from_above


def test_names_of_regions_do_not_cover_each_other(browser):
    boxes = """
      return Array.from(document.querySelectorAll('#viewer-plot .annotation-scene'))
        .filter(e => e.style.visibility !== 'hidden').map(e => e.getBoundingClientRect())
        .map(r => [r.left, r.right, r.top, r.bottom]);
    """
    all_names = 4 + 5  # of the sides, and of the largest regions
    counts = set()
    for view in ("left", "top", "front"):
        click(browser, f"button[data-view='{view}']")
        wait(
            browser,
            f"document.querySelectorAll('#viewer-plot .annotation-scene').length <= {all_names}",
        )
        shown = browser.execute_script(boxes)
        counts.add(len(shown))
        for k, (left, right, top, bottom) in enumerate(shown):
            for other in shown[:k]:
                apart = (
                    left >= other[1] or other[0] >= right or top >= other[3] or other[2] >= bottom
                )
                assert apart
    assert max(counts) > 4 and min(counts) < all_names


def test_a_set_can_be_taken_to_other_programs(browser):
    """GraphML with names, systems and weights, as the list of regions beside it says."""
    text = browser.execute_async_script(
        """
        const done = arguments[0], make = URL.createObjectURL.bind(URL);
        URL.createObjectURL = function (blob) { blob.text().then(done); return make(blob); };
        document.getElementById('viewer-graphml').click();
        URL.createObjectURL = make;
        """
    )
    name, system = (column(browser, "viewer-regions", number) for number in (1, 2))
    assert text.startswith("<?xml") and text.count("<node ") == len(name)
    assert text.count("<edge ") == text.count('<data key="weight">') > 0
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = networkx.parse_graphml(text)
    nodes = dict(graph.nodes(data=True)).values()
    assert sorted(node["label"] for node in nodes) == sorted(name)
    assert {node["label"]: node["system"] for node in nodes} == dict(zip(name, system, strict=True))
    assert all(node["degree"] > 0 and abs(node["x"]) < 90 for node in nodes)
    assert all(isinstance(weight, float) for _, _, weight in graph.edges(data="weight"))


def test_3d_view_turns_with_the_mouse(browser):
    from selenium.webdriver import ActionChains

    eye = "document.querySelector('#viewer-plot')._fullLayout.scene._scene.getCamera().eye"
    click(browser, "button[data-view='left']")
    wait(browser, f"{eye}.x < -1.2")
    plot = find(browser, "#viewer-plot")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(browser).move_to_element(plot).click_and_hold().move_by_offset(
        60, 0
    ).move_by_offset(60, 10).release().perform()
    wait(browser, f"Math.abs({eye}.y) > 0.2")


def test_tabs_and_slider_work_by_keyboard(browser):
    right, left, end, home = "\ue014", "\ue012", "\ue010", "\ue011"

    def selected():
        return find(browser, "[role='tab'][aria-selected='true']")

    browser.execute_script("arguments[0].focus()", selected())
    assert selected().text == "TD−ASD"
    selected().send_keys(right)
    assert selected().text == "ASD−TD" and browser.switch_to.active_element == selected()
    selected().send_keys(end)
    assert selected().text == "Symmetric"
    selected().send_keys(right)
    assert selected().text == "TD−ASD"
    selected().send_keys(left)
    selected().send_keys(home)
    assert selected().text == "TD−ASD"
    tabs = browser.find_elements("css selector", "[role='tab']")
    assert [tab.get_attribute("tabindex") for tab in tabs] == ["0", "-1", "-1"]

    slider = find(browser, "#viewer-alpha")
    before = column(browser, "viewer-regions", 1)
    state = find(browser, "#viewer-state").text
    slider.send_keys(right)
    assert find(browser, "#viewer-state").text != state
    assert "percentile 90" in slider.get_attribute("aria-valuetext")
    after = column(browser, "viewer-regions", 1)
    assert after != before
    size = f"{len(after)} region" + ("s" if len(after) != 1 else "")
    assert size in find(browser, "#viewer-state").text
    slider.send_keys(left)
    assert column(browser, "viewer-regions", 1) == before


def test_the_view_opens_at_the_pictured_percentile_and_copies_its_regions(browser):
    from selenium.webdriver.support.ui import Select

    Select(find(browser, "#viewer-cohort")).select_by_visible_text("Adolescents")
    Select(find(browser, "#viewer-cohort")).select_by_visible_text("Children")
    tabs = browser.find_elements("css selector", "[role='tab']")
    tabs[2].click()
    assert "percentile 90" in find(browser, "#viewer-state").text
    tabs = browser.find_elements("css selector", "[role='tab']")
    tabs[0].click()
    assert "percentile 80" in find(browser, "#viewer-state").text
    assert "density TD" in find(browser, "#viewer-state").text
    click(browser, "#viewer-copy")
    wait(browser, "document.getElementById('viewer-done').textContent !== ''")
    assert find(browser, "#viewer-done").text.startswith(("Copied", "This browser"))


def test_the_text_for_a_methods_section_is_copied_as_it_is_shown(browser):
    browser.execute_script(
        "document.execCommand = what => { copied = document.activeElement.value; return true; }"
    )
    click(browser, "#methods-copy")
    wait(browser, "document.getElementById('methods-done').textContent === 'Copied.'")
    copied = browser.execute_script("return copied")
    assert "We searched for contrast subgraphs (Lanciano et al., 2020)" in copied
    assert "Holm, Sture." in copied and "To add by hand" in copied
    links = browser.find_elements("css selector", "#methods-take a")
    assert [one.get_attribute("download") for one in links] == ["methods.md", "references.bib"]


def test_cohort_can_be_chosen(browser):
    from selenium.webdriver.support.ui import Select

    choice = Select(find(browser, "#viewer-cohort"))
    before = column(browser, "viewer-regions", 3)
    choice.select_by_visible_text("Adolescents")
    assert column(browser, "viewer-regions", 3) != before
    choice.select_by_visible_text("Children")
    assert column(browser, "viewer-regions", 3) == before


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows(browser, width):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        browser.execute_script(
            "document.querySelectorAll('details').forEach(d => { d.open = true; })"
        )
        wait(browser, f"innerWidth === {width}")
        sizes = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert sizes[0] <= sizes[1]
        outside = browser.execute_script(
            """
            const inScroll = e => e.closest('.scroll, pre, .plot, nav ul, .skip, .hidden');
            return Array.from(document.querySelectorAll('body *'))
              .filter(e => !inScroll(e) && e.getClientRects().length)
              .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
              .map(e => e.outerHTML.slice(0, 120));
            """
        )
        assert outside == []
        # Letters of 7 points are 10 pixels at least; what is wider than the screen scrolls.
        small = browser.execute_script(
            """
            return Array.from(document.querySelectorAll('figure .scroll img'))
              .filter(e => e.getBoundingClientRect().width < 0.74 * e.getAttribute('width'))
              .map(e => e.alt);
            """
        )
        assert small == []
        # Each frame that scrolls sideways says so, and no other.
        wait(
            browser,
            "Array.from(document.querySelectorAll('.scroll')).every(e => "
            "e.matches('.hint') === (e.scrollWidth > e.clientWidth + 1))",
        )
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_first_screen_looks_as_stored(browser, tmp_path):
    size = {"width": 900, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.execute_script("scrollTo(0, 0)")
        wait(browser, "innerWidth === 900 && scrollY === 0")
        (tmp_path / "new.png").write_bytes(browser.get_screenshot_as_png())
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert looks_as_stored(tmp_path / "new.png", "page") < 12  # letters differ by machine


def test_axe_finds_no_serious_fault(browser):
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None:
        pytest.skip("axe-playwright-python, which ships axe.min.js, is not installed (extra `dev`)")
    axe = Path(found.submodule_search_locations[0]) / "axe.min.js"
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.execute_script(axe.read_text(encoding="utf-8"))
    result = browser.execute_async_script(
        "const done = arguments[0]; axe.run(document).then(done, e => done({error: String(e)}));"
    )
    assert "error" not in result, result
    assert len(result["passes"]) > 20
    faults = [
        (fault["id"], fault["impact"], [node["html"][:150] for node in fault["nodes"][:3]])
        for fault in result["violations"]
        if fault["impact"] in ("serious", "critical", "moderate")
    ]
    assert faults == []


def test_what_is_folded_is_not_printed(browser):
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = false; })")
    find(browser, "details").click()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "return Array.from(document.querySelectorAll('details')).map(d => d.offsetHeight > 0)"
    assert sum(browser.execute_script(shown)) == 1
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_prints(page, tmp_path):
    out = tmp_path / "report.pdf"
    flags = (*FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={out}")
    subprocess.run([CHROMIUM, *flags, page.as_uri()], check=True, capture_output=True, timeout=300)
    pdf = out.read_bytes()
    assert pdf.startswith(b"%PDF") and len(pdf) > 50_000
