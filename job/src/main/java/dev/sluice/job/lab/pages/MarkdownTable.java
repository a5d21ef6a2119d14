package dev.sluice.job.lab.pages;

import java.util.List;

/** A table in Markdown, row by row. Not thread-safe. */
final class MarkdownTable {
    private final int columns;
    private final StringBuilder text = new StringBuilder();

    MarkdownTable(List<String> heads) {
        columns = heads.size();
        row(heads);
        text.append("|---".repeat(columns)).append("|\n");
    }

    void row(List<String> cells) {
        if (cells.size() != columns) {
            throw new IllegalArgumentException(
                    "a row of " + cells.size() + " cells in a table of " + columns + ": " + cells);
        }
        for (String cell : cells) {
            text.append("| ").append(cell.replace("|", "\\|")).append(' ');
        }
        text.append("|\n");
    }

    String text() {
        return text.toString();
    }
}
