package dev.sluice.job.lab.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.job.SluiceException;
import dev.sluice.job.lab.generate.RuleShape;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class GridRunTest {
    private static final List<Cell> CELLS =
            Cell.all(List.of(RuleShape.ZONES), List.of(1000), List.of(30), List.of(2, 8));

    private final StringWriter out = new StringWriter();

    private long run(GridRun.Bench bench, int atOnce) throws InterruptedException {
        PrintWriter lines = new PrintWriter(out);
        return new GridRun(bench, null, lines, false)
                .over(CELLS, atOnce, new PrintWriter(new StringWriter()));
    }

    @Test
    void everyCellHasALineAndWrongAnswersAreSummedUp() throws Exception {
        assertEquals(2, CELLS.size());
        long wrong = run(cell -> new GridRun.Found(GridFile.of(cell), cell.name(), 3), 2);
        assertEquals(6, wrong);
        assertEquals(
                CELLS.stream().map(Cell::name).sorted().toList(),
                out.toString().lines().sorted().toList());
    }

    @Test
    void aCellThatCannotBeMeasuredEndsTheRunWithItsReason() {
        SluiceException e =
                assertThrows(
                        SluiceException.class,
                        () ->
                                run(
                                        cell -> {
                                            throw new SluiceException("no room for " + cell.name());
                                        },
                                        1));
        assertEquals("no room for " + CELLS.get(0).name(), e.getMessage());
        assertEquals("", out.toString());
    }
}
