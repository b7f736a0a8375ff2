// Starts the page with embedded documents.

const app = new App();
app.follow();
