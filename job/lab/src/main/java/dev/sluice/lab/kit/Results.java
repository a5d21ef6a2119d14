package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Printer of a measurement's record: as JSON for programs, else the same members for people. An
 * array of objects or texts becomes a table; lists of numbers are in JSON alone.
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
        List<List<String>> lines = new ArrayList<>();
        figures.forEach((name, text) -> lines.add(List.of(name, text)));
        print(out, "", lines);
        tables.forEach(
                (name, rows) -> {
                    out.println();
                    out.println(name);
                    print(out, "  ", cells(rows));
                });
        out.flush();
    }

    /** Prints one of several records in a line. */
    public static void tell(PrintWriter out, JsonOption json, ObjectNode record) {
        out.println(json.isGiven() ? record : line(record));
        out.flush();
    }

    /** Returns the figures of a record in one line, each behind its name. */
    public static String line(ObjectNode record) {
        Map<String, String> figures = new LinkedHashMap<>();
        flatten("", record, figures, new LinkedHashMap<>());
        return figures.entrySet().stream()
                .map(figure -> figure.getKey() + " " + figure.getValue())
                .collect(Collectors.joining(", "));
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
            } else if (!value.isArray()) {
                figures.put(name, Figure.of(value));
            } else if (value.path(0).isObject() || value.path(0).isTextual()) {
                tables.put(name, value);
            }
        }
    }

    /** Returns heads and a row a record, or, where there are more heads, a row a head. */
    private static List<List<String>> cells(JsonNode records) {
        Set<String> heads = new LinkedHashSet<>();
        List<Map<String, String>> rows = new ArrayList<>();
        for (JsonNode record : records) {
            Map<String, String> row = new LinkedHashMap<>();
            if (record.isTextual()) {
                row.put("", record.asText());
            }
            flatten("", record, row, new LinkedHashMap<>());
            heads.addAll(row.keySet());
            rows.add(row);
        }
        List<List<String>> cells = new ArrayList<>(List.of(List.copyOf(heads)));
        rows.forEach(row -> cells.add(heads.stream().map(h -> row.getOrDefault(h, "")).toList()));
        return heads.size() <= rows.size()
                ? cells
                : IntStream.range(0, heads.size())
                        .mapToObj(h -> cells.stream().map(row -> row.get(h)).toList())
                        .toList();
    }

    private static void print(PrintWriter out, String indent, List<List<String>> rows) {
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(indent);
            for (int c = 0; c < row.size(); c++) {
                int column = c;
                int width = rows.stream().mapToInt(r -> r.get(column).length()).max().orElse(0);
                String cell = row.get(c);
                line.append(cell).append(" ".repeat(width - cell.length() + 2));
            }
            if (!line.toString().isBlank()) {
                out.println(line.toString().stripTrailing());
            }
        }
    }
}
