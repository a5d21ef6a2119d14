package dev.sluice.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Decisions have four sections and at most a page, and stand in the index by theme. */
class DecisionsTest {
    private static final Path FOLDER = TestData.inCheckout("docs/decisions");
    private static final List<String> SECTIONS =
            List.of("## Context", "## Decision", "## Rejected", "## Revisit when");
    private static final int A_PAGE = 600;

    @Test
    void eachIsAPageOfFourSectionsInTheIndex() throws IOException {
        String index = Files.readString(FOLDER.resolve("README.md")).replaceAll("\\s+", " ");
        List<String> problems = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.equals("README.md")) {
                    continue;
                }
                List<String> lines = Files.readAllLines(file);
                String title = lines.get(0).replaceFirst("# \\d{4}:? ", "");
                String link = "[%s](%s) %s".formatted(name.substring(0, 4), name, title);
                if (!index.contains(link)) {
                    problems.add(name + ": add to a theme of docs/decisions/README.md: " + link);
                }
                List<String> heads = lines.stream().filter(l -> l.startsWith("## ")).toList();
                if (!heads.equals(SECTIONS)) {
                    problems.add(name + ": has " + heads + "; make it " + SECTIONS);
                }
                int words = String.join(" ", lines).split("\\s+").length;
                if (words > A_PAGE) {
                    problems.add(name + ": has " + words + " words; cut it to " + A_PAGE);
                }
            }
        }
        assertEquals(List.of(), problems);
    }
}
