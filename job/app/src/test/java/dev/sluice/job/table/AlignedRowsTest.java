package dev.sluice.job.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlignedRowsTest {
    private final StringWriter text = new StringWriter();

    /** Rows of three cells, of which the second shows 5 characters at most. */
    private RowsOut<List<String>> rows(int width, long limit) {
        List<TableColumn<List<String>>> columns =
                List.of(
                        TableColumn.of("a", row -> row.get(0)),
                        new TableColumn<>("long", 5, row -> row.get(1)),
                        TableColumn.of("words", row -> row.get(2)));
        return new RowForm<>(columns, columns, row -> JsonNodeFactory.instance.objectNode())
                .aligned(new LinesOut(new PrintWriter(text), limit), width);
    }

    private List<String> lines() {
        return text.toString().lines().toList();
    }

    @Test
    void columnsAreAsWideAsTheirCellsAndLinesAsTheTerminal() {
        RowsOut<List<String>> rows = rows(20, Long.MAX_VALUE);
        rows.row(List.of("1", "abcdefgh", "some words that are long"));
        rows.row(List.of("1000", "", "with\ta tab"));
        rows.flush();
        assertEquals(
                List.of("A     LONG   WORDS", "1     abcd…  some w…", "1000         with\\t…"),
                lines());
    }

    @Test
    void whatSaysNothingIsLeftOutUntilItSaysSomething() {
        RowsOut<List<String>> rows = rows(80, Long.MAX_VALUE);
        rows.row(List.of("1", "", "x"));
        rows.flush();
        rows.row(List.of("2", "new", "y"));
        rows.row(List.of("3000", "", "z"));
        rows.flush();
        assertEquals(
                List.of("A  WORDS", "1  x", "A  LONG  WORDS", "2  new   y", "3000        z"),
                lines());
    }

    @Test
    void rowsEndAtTheLimitAlsoWhileTheyWait() {
        RowsOut<List<String>> rows = rows(80, 2);
        assertTrue(rows.row(List.of("1", "", "x")));
        assertFalse(rows.row(List.of("2", "", "y")));
        rows.flush();
        assertEquals(List.of("A  WORDS", "1  x", "2  y"), lines());
    }
}
