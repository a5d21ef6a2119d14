package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Printer of a measurement's record: as JSON for programs, else the same members for people. An
 * array of objects becomes a table; lists of numbers are in JSON alone.
 */
public final class Results {
    private Results() {}

    /** Prints a record. */
    public static void print(PrintWriter out, JsonOption json, ObjectNode record) {
        if (json.isGiven()) {
            JsonOption.print(out, record);
            return;
        }
        Map<String, String> figures = new LinkedHashMap<>();
        Map<String, JsonNode> tables = new LinkedHashMap<>();
        flatten("", record, figures, tables);
        int width = figures.keySet().stream().mapToInt(String::length).max().orElse(0);
        figures.forEach((name, text) -> out.println(pad(name, width) + "  " + text));
        tables.forEach((name, rows) -> table(out, name, rows));
        out.flush();
    }

    private static void flatten(
            String path,
            JsonNode record,
            Map<String, String> figures,
            Map<String, JsonNode> tables) {
        for (Map.Entry<String, JsonNode> member : record.properties()) {
            String name = path + member.getKey();
            JsonNode value = member.getValue();
            if (value.isObject()) {
                flatten(name + ".", value, figures, tables);
            } else if (value.isArray()) {
                if (value.path(0).isObject()) {
                    tables.put(name, value);
                }
            } else {
                figures.put(name, Figure.of(value));
            }
        }
    }

    private static void table(PrintWriter out, String name, JsonNode records) {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        int count = 0;
        for (JsonNode record : records) {
            Map<String, String> row = new LinkedHashMap<>();
            flatten("", record, row, new LinkedHashMap<>());
            for (Map.Entry<String, String> cell : row.entrySet()) {
                List<String> column =
                        columns.computeIfAbsent(cell.getKey(), k -> new ArrayList<>());
                while (column.size() < count) {
                    column.add("");
                }
                column.add(cell.getValue());
            }
            count++;
        }
        out.println();
        out.println(name);
        int width = columns.keySet().stream().mapToInt(String::length).max().orElse(0);
        columns.forEach(
                (head, cells) -> {
                    StringBuilder line = new StringBuilder("  ").append(pad(head, width));
                    cells.forEach(cell -> line.append("  ").append(pad(cell, 14)));
                    out.println(line.toString().stripTrailing());
                });
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
