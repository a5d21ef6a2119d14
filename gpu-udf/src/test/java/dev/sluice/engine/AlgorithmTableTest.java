package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.cuda.AlgorithmsHeader;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of algorithms in the docs is what the registry says. */
class AlgorithmTableTest {
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");

    private static String row(Algorithm algorithm) {
        Capabilities can = algorithm.capabilities();
        return "| `%s` | %s | %s|\n"
                .formatted(
                        algorithm.label(),
                        algorithm.summary(),
                        can.mayRefuse() ? can.refuses() + " " : "");
    }

    @Test
    void theTableFollowsFromTheRegistry() throws IOException {
        String table =
                "| name | structure; what it is good for | refuses |\n|---|---|---|\n"
                        + AlgorithmsHeader.packed().stream()
                                .map(AlgorithmTableTest::row)
                                .collect(Collectors.joining())
                        + "\n";
        assertTrue(
                Files.readString(PAGE).contains(table),
                () -> "docs/architecture.md lacks this table, as it stands:\n" + table);
    }
}
