/* The panel of a page: its numbers travel in the page, and it runs when its section is opened. */
anovaPanel.open(document, async () => JSON.parse(await window.anovaReport.inflate("what-if-numbers")), {plotOf: window.anovaReport.plotOf});
