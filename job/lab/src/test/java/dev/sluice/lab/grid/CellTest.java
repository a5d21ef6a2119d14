package dev.sluice.lab.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.lab.generate.RuleShape;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which cells the grid has. */
class CellTest {
    @Test
    void theWholeGridHasEachNumberThatFitsItsRules() {
        List<Cell> cells = Cell.all(Cell.SHAPES, Cell.RULES, Cell.KINDS, Cell.DEPTHS);
        Map<String, Long> sizes =
                cells.stream()
                        .collect(
                                Collectors.groupingBy(
                                        c -> c.shape().label() + " " + c.rules(),
                                        Collectors.counting()));
        for (String shape : List.of("zones", "groups", "fewsources")) {
            assertEquals(6, sizes.get(shape + " 1000"), "30 and 300 kinds, three depths");
            assertEquals(9, sizes.get(shape + " 10000"), "3,000 kinds, too");
            assertEquals(12, sizes.get(shape + " 100000"), "10,000 kinds, too");
            assertEquals(12, sizes.get(shape + " 1000000"));
        }
        for (String shape : List.of("blocklist", "acl", "fw", "ipc")) {
            assertEquals(1, sizes.get(shape + " 100000"));
        }
        assertEquals(3 * (6 + 9 + 12 + 12) + 4, cells.size());
        assertEquals(cells.size(), cells.stream().map(Cell::name).distinct().count());
    }

    @Test
    void numbersChooseCells() {
        assertEquals(
                List.of("groups_1000_30_8"),
                Cell.all(List.of(RuleShape.GROUPS), List.of(1000), List.of(30, 3000), List.of(8))
                        .stream()
                        .map(Cell::name)
                        .toList());
        assertTrue(
                Cell.all(List.of(RuleShape.ACL), List.of(1000), Cell.KINDS, Cell.DEPTHS).isEmpty());
    }

    @Test
    void aCellIsNamedForFiles() {
        Cell zones =
                Cell.all(List.of(RuleShape.ZONES), List.of(10_000), List.of(300), List.of(24))
                        .get(0);
        assertEquals("zones_10000_300_24", zones.name());
        assertEquals(10_000, zones.generator(1).lines().size());
    }
}
