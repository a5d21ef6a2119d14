package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Specification of one table, as it stands in a comment above the table:
 *
 * <pre>
 * FILE                     raw file with the records
 * where MEMBER ~ PATTERN   only records whose member matches, as often as needed
 * row N                    only the N-th record
 * each MEMBER              a row for each element of an array; 'each itself, MEMBER': the record first
 * group MEMBER ...         a row for all records that agree in these members
 * order VALUE; VALUE ...   only groups whose first member has one of these values, in this order
 * HEAD = EXPRESSION        a column; without columns: all of a CSV file
 * </pre>
 *
 * <p>An expression is a path of members with dots: {@code a.b}; {@code a[b=c].d} and {@code
 * a[b>0].d} choose elements of an array, <code>{a}</code> stands for the text of a member. {@code x
 * / y} puts texts beside each other; {@code x : y} is a quotient of three digits. {@code , else
 * TEXT} stands for what is missing, {@code , bold below N} has three digits, in bold below a
 * number. {@link Row#ofGroup} has what groups know.
 */
final class TableSpec {
    private static final String ITSELF = "itself, ";

    private final String file;
    private final List<String[]> where = new ArrayList<>();
    private final List<String> heads = new ArrayList<>();
    private final List<String> cells = new ArrayList<>();
    private String each = "";
    private String group = "";
    private List<String> order = List.of();
    private int row;

    /**
     * Reads a specification.
     *
     * @throws SluiceException if a line is none
     */
    TableSpec(String text) {
        List<String> lines = text.lines().map(String::strip).toList();
        file = lines.get(0);
        for (String line : lines.subList(1, lines.size())) {
            String[] words = line.split(" ", 2);
            int equals = line.lastIndexOf("= ");
            if (line.startsWith("where ") && line.contains(" ~ ")) {
                where.add(words[1].split(" ~ ", 2));
            } else if (line.matches("row \\d+")) {
                row = Integer.parseInt(words[1]);
            } else if (line.matches("each (itself, )?\\S+")) {
                each = words[1];
            } else if (line.startsWith("group ") && equals < 0) {
                group = words[1];
            } else if (line.startsWith("order ") && equals < 0) {
                order = List.of(words[1].split("; "));
            } else if (equals >= 0) {
                heads.add(line.substring(0, equals).strip());
                cells.add(line.substring(equals + 2));
            } else {
                throw new SluiceException(
                        "'%s' is no part of a table of %s; write HEAD = MEMBER, where MEMBER ~ PATTERN, row N, each MEMBER, group MEMBER or order VALUE"
                                .formatted(line, file));
            }
        }
    }

    /** Makes the table, in Markdown. */
    String table(RawFiles raw) {
        List<ObjectNode> records =
                raw.records(file).stream()
                        .filter(r -> where.stream().allMatch(w -> matches(r, w)))
                        .toList();
        List<Row> rows =
                (row == 0 ? records : records.subList(row - 1, row))
                        .stream().flatMap(r -> rows(r).stream()).toList();
        StringBuilder text = new StringBuilder();
        List<String> shown = new ArrayList<>(heads);
        if (cells.isEmpty()) {
            records.get(0).fieldNames().forEachRemaining(shown::add);
        }
        line(text, shown);
        text.append("|---".repeat(shown.size())).append("|\n");
        if (cells.isEmpty()) {
            records.forEach(
                    r -> line(text, shown.stream().map(h -> Figure.of(r.path(h))).toList()));
        } else if (group.isEmpty()) {
            rows.forEach(r -> line(text, cells.stream().map(r::text).toList()));
        } else {
            groups(rows)
                    .forEach(
                            of ->
                                    line(
                                            text,
                                            cells.stream()
                                                    .map(cell -> Row.ofGroup(of, cell))
                                                    .toList()));
        }
        return text.toString();
    }

    private static boolean matches(ObjectNode record, String[] where) {
        return new Row(record, record).text(where[0]).matches(where[1]);
    }

    private List<Row> rows(ObjectNode record) {
        if (each.isEmpty()) {
            return List.of(new Row(record, record));
        }
        List<Row> rows = new ArrayList<>();
        boolean itself = each.startsWith(ITSELF);
        if (itself) {
            rows.add(new Row(record, record));
        }
        for (JsonNode element : record.path(itself ? each.substring(ITSELF.length()) : each)) {
            rows.add(new Row(element, record));
        }
        return rows;
    }

    private List<List<Row>> groups(List<Row> rows) {
        Map<List<String>, List<Row>> groups = new LinkedHashMap<>();
        for (Row one : rows) {
            List<String> key = List.of(group.split(" ")).stream().map(one::text).toList();
            groups.computeIfAbsent(key, k -> new ArrayList<>()).add(one);
        }
        if (!order.isEmpty()) {
            groups.keySet().removeIf(key -> !order.contains(key.get(0)));
        }
        return groups.entrySet().stream()
                .sorted(Comparator.comparingInt(g -> order.indexOf(g.getKey().get(0))))
                .map(Map.Entry::getValue)
                .toList();
    }

    private static void line(StringBuilder text, List<String> cells) {
        for (String cell : cells) {
            text.append("| ").append(cell.replace("|", "\\|")).append(' ');
        }
        text.append("|\n");
    }
}
