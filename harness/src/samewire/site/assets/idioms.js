// Idiom pages: the stacks that are chosen, as columns or as tabs. The choice is in the address: #show=ID,ID.
(() => {
  const columns = matchMedia("(min-width: 1000px)");
  let page = {};

  function setUp(root) {
    const form = root.querySelector("form");
    const tablist = root.querySelector("[role=tablist]");
    // Boxes, panels and tabs are in the same order.
    const boxes = [...form.querySelectorAll("input")];
    const panels = [...root.querySelectorAll(".idioms-stack")];
    const tabs = panels.map((panel, i) => {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.id = `${panel.id}-tab`;
      tab.textContent = boxes[i].parentElement.textContent.trim();
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      tab.addEventListener("click", () => select(i));
      return tab;
    });
    let current = 0;

    /** Checks the boxes that the address names, or those that are checked in the page. */
    function read() {
      const names = /^#show=(.+)$/.exec(location.hash)?.[1].split(",") ?? [];
      const named = boxes.filter((box) => names.includes(box.value));
      for (const box of boxes) {
        box.checked = named.length > 0 ? named.includes(box) : box.defaultChecked;
      }
      show();
    }

    function keep() {
      const names = boxes.filter((box) => box.checked).map((box) => box.value);
      history.replaceState(history.state, "", `#show=${names.join(",")}`);
      show();
    }

    function show() {
      if (!boxes[current].checked) {
        current = Math.max(0, boxes.findIndex((box) => box.checked));
      }
      root.dataset.shown = boxes.filter((box) => box.checked).length;
      tablist.hidden = columns.matches;
      panels.forEach((panel, i) => {
        const isCurrent = i === current;
        panel.hidden = !boxes[i].checked || !(columns.matches || isCurrent);
        tabs[i].hidden = !boxes[i].checked;
        tabs[i].setAttribute("aria-selected", isCurrent);
        tabs[i].tabIndex = isCurrent ? 0 : -1;
        if (columns.matches) {
          panel.removeAttribute("role");
          panel.removeAttribute("aria-labelledby");
        } else {
          panel.setAttribute("role", "tabpanel");
          panel.setAttribute("aria-labelledby", tabs[i].id);
        }
      });
      // The steps before and after, above and below, open with the same choice.
      for (const beside of [root.previousElementSibling, root.nextElementSibling]) {
        for (const link of beside?.querySelectorAll("a") ?? []) {
          link.hash = location.hash.startsWith("#show=") ? location.hash : "";
        }
      }
    }

    function select(i) {
      current = i;
      show();
      tabs[i].focus();
    }

    tablist.append(...tabs);
    tablist.addEventListener("keydown", (event) => {
      const open = tabs.filter((tab) => !tab.hidden);
      const at = open.indexOf(document.activeElement);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        select(tabs.indexOf(open.at(to % open.length)));
      }
    });
    form.addEventListener("change", keep);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of form.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        for (const box of boxes) {
          box.checked = button.parentElement.contains(box);
        }
        keep();
      });
    }
    form.hidden = false;
    read();
    page = { show, read };
  }

  function start() {
    const root = document.querySelector(".idioms");
    if (root) {
      setUp(root);
    }
  }

  columns.addEventListener("change", () => page.show?.());
  addEventListener("hashchange", () => page.read?.());
  if (window.document$) {
    document$.subscribe(start); // the theme may replace the page without loading it
  } else if (document.readyState === "loading") {
    addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
