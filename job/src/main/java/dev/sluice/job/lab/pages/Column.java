package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A column of a table of JSON records.
 *
 * @param head its head, with the unit
 * @param cell the text of a record's cell
 */
record Column(String head, Function<JsonNode, String> cell) {
    /** The column of a field, as it stands in the file. */
    static Column of(String head, String field) {
        return new Column(head, record -> Digits.of(record.path(field)));
    }

    /** A table with a row for each record. */
    static String table(List<JsonNode> records, Column... columns) {
        MarkdownTable table = new MarkdownTable(Arrays.stream(columns).map(Column::head).toList());
        for (JsonNode record : records) {
            table.row(Arrays.stream(columns).map(c -> c.cell().apply(record)).toList());
        }
        return table.text();
    }
}
