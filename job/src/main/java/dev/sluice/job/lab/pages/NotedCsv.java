package dev.sluice.job.lab.pages;

import dev.sluice.job.SluiceException;
import java.util.ArrayList;
import java.util.List;

/**
 * A raw CSV file: lines that begin with {@code #} say what was measured, when and how (the first is
 * the title); then the heads, then the rows. A cell in double quotes may hold commas.
 *
 * @param notes without their {@code #}
 */
record NotedCsv(List<String> notes, List<String> heads, List<List<String>> rows) {
    /**
     * Parses a file.
     *
     * @param name the file's name, for errors
     */
    static NotedCsv parse(String name, List<String> lines) {
        List<String> notes = new ArrayList<>();
        List<String> heads = List.of();
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("#")) {
                notes.add(line.substring(1).strip());
            } else if (heads.isEmpty()) {
                heads = cells(line);
            } else {
                List<String> row = cells(line);
                if (row.size() != heads.size()) {
                    throw new SluiceException(
                            "%s:%d: %d cells under %d heads; quote cells that hold commas"
                                    .formatted(name, i + 1, row.size(), heads.size()));
                }
                rows.add(row);
            }
        }
        return new NotedCsv(notes, heads, rows);
    }

    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                cells.add(cell.toString());
                cell.setLength(0);
            } else {
                cell.append(c);
            }
        }
        cells.add(cell.toString());
        return cells;
    }

    String title() {
        return notes.isEmpty() ? "" : notes.get(0);
    }

    /** What was measured, when and how: the notes after the title. */
    List<String> text() {
        return notes.subList(Math.min(1, notes.size()), notes.size());
    }

    String table() {
        MarkdownTable table = new MarkdownTable(heads);
        rows.forEach(table::row);
        return table.text();
    }
}
