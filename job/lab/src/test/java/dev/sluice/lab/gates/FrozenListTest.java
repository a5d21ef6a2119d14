package dev.sluice.lab.gates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of gates shrink, and never grow. */
class FrozenListTest {
    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void freeze() throws IOException {
        file = folder.resolve("list.txt");
        Files.write(file, List.of("# a comment", "A 700", "B 500"));
    }

    private void check(boolean shrink, Map<String, Integer> now) {
        new FrozenList(file, shrink)
                .checkCounts(now, name -> 450, 20, "%s has %d of %d lines; split it");
    }

    private void refused(boolean shrink, Map<String, Integer> now, String sentence) {
        String told = assertThrows(AssertionError.class, () -> check(shrink, now)).getMessage();
        assertTrue(told.contains(sentence), told);
    }

    @Test
    void aCountAtItsEntryOrALittleBelowPasses() {
        check(false, Map.of("A", 700, "B", 500));
        check(false, Map.of("A", 680, "B", 480, "C", 450));
    }

    @Test
    void growthAndNewOffendersFail() {
        refused(false, Map.of("A", 701, "B", 500), "A has 701 of 700 lines; split it");
        refused(false, Map.of("A", 700, "B", 500, "C", 451), "C has 451 of 450 lines; split it");
    }

    @Test
    void anEntryThatIsNoLongerNeededFails() {
        refused(false, Map.of("A", 679, "B", 500), "list.txt: the entry 'A 700' is too large");
        refused(false, Map.of("A", 700, "B", 450), "list.txt: the entry 'B 500' is too large");
        refused(false, Map.of("A", 700), "list.txt: the entry 'B 500' is too large");
    }

    @Test
    void shrinkingLowersAndRemovesAndAddsNothing() throws IOException {
        refused(true, Map.of("A", 690, "C", 460), "C has 460 of 450 lines");
        assertEquals(List.of("# a comment", "A 690"), Files.readAllLines(file));
        refused(true, Map.of("A", 695), "A has 695 of 690 lines");
        assertEquals(List.of("# a comment", "A 690"), Files.readAllLines(file));
    }
}
