"""The browser in which tests look at pages, and what they look for on every page."""

import os

from samewire.toolchains import chromium

# Chromium takes no file of authorities. The suite's own client checks the certificate.
_TRUST = ["--ignore-certificate-errors"] if os.environ.get("SSL_CERT_FILE") else []

LAUNCH = {
    "executable_path": str(chromium().path),
    "args": [
        "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", "--no-first-run", "--disable-quic", *_TRUST,
    ],
}  # fmt: skip
"""Arguments of playwright's `launch`."""

FAINT = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = channels(colour).map(c => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('body *')].flatMap(element => {
    const own = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
    if (!own && !element.dataset.initial || !element.checkVisibility()) return [];
    const style = getComputedStyle(element);
    const [a, b] = [luminance(element.closest('svg') ? style.fill : style.color), luminance(background(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast < 4.5 ? [`${contrast.toFixed(2)} ${own.slice(0, 40)}`] : [];
  });
}"""
"""JavaScript for playwright's `evaluate`: text with too little contrast to read, as a list of `contrast text`.

The contrast is that with the nearest opaque background; at least 4.5 : 1 (WCAG 2.2, 1.4.3, level AA). An element that
shows its attribute `data-initial` counts as text.
"""
