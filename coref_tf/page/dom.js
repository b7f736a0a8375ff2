"use strict";
// Helpers for elements and number formatting.

/** Creates an element with properties and children; null and undefined properties are ignored. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Formats a score with two decimals and a proper minus sign. */
function score(value) {
  const text = Math.abs(value).toFixed(2);
  return value < 0 && text !== "0.00" ? `−${text}` : text;
}

/** Formats a share as a percentage; values near 0 and 1 keep a decimal, and are never shown as certain. */
function percent(share) {
  const value = 100 * share;
  if (value < 0.1) return "< 0.1%";
  if (value > 99.9) return "> 99.9%";
  return `${value.toFixed(value < 9.95 || value > 99 ? 1 : 0)}%`;
}

/** Formats a sum: `1.50 − 0.25 = 1.25`. */
function addition(values) {
  const rest = values
    .slice(1)
    .map((value) => (score(value).startsWith("−") ? ` − ${score(-value)}` : ` + ${score(value)}`));
  return `${score(values[0])}${rest.join("")} = ${score(values.reduce((sum, value) => sum + value, 0))}`;
}

/** Formats a count: `1 cluster`, `3 clusters`. */
function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
