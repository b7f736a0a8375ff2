// The page of documents that are written into it.

const app = new App();
app.follow();
