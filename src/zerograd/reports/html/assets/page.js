"use strict";
// The page's own small things: its data, light and dark.

const read = (id) => {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
};
const data = read("data");
const whenThemed = [];

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  whenThemed.forEach((redraw) => redraw());
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  whenThemed.forEach((redraw) => redraw());
});
