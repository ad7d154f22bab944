"use strict";
// The page's own small things: its data, light and dark, and paper.

const read = (id) => {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
};
const data = read("data");
const root = document.documentElement;
const whenThemed = [];
const redraw = () => whenThemed.forEach((draw) => draw());

const isDark = () => {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  redraw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

// Paper is light, whatever the screen is.
let screenTheme = "";
addEventListener("beforeprint", () => {
  screenTheme = root.dataset.theme ?? "";
  root.dataset.theme = "light";
  root.dataset.paper = "";
  redraw();
});
addEventListener("afterprint", () => {
  delete root.dataset.paper;
  if (screenTheme) root.dataset.theme = screenTheme;
  else delete root.dataset.theme;
  redraw();
});
