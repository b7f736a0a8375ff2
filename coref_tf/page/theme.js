// Light and dark themes: the system's, unless the user chooses one.

/** Makes a button cycle through the themes. */
function switchThemes(button) {
  const themes = ["system", "light", "dark"];
  let theme = themes.find((name) => name === remembered("theme")) ?? "system";
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember("theme", theme);
    apply();
  });
  apply();
}

// Some browsers do not provide storage to pages from files.
function remembered(key) {
  try {
    return localStorage.getItem(`coref_tf.${key}`);
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(`coref_tf.${key}`, value);
  } catch {
    // the theme is lost when the page is closed
  }
}
