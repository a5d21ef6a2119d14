package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of reasons in the page for operators is the enum's. */
class DeadLetterReasonTest {
    private static final String HEAD = "| reason | meaning |\n|---|---|\n";

    @Test
    void thePageListsEachReasonWithItsMeaning() throws Exception {
        String table =
                Arrays.stream(DeadLetterReason.values())
                        .map(r -> "| `%s` | %s |\n".formatted(r.text(), r.meaning()))
                        .collect(Collectors.joining());
        String page = Files.readString(Path.of("../docs/operations.md"));
        int from = page.indexOf(HEAD) + HEAD.length();
        int to = Math.max(from, page.indexOf("\n\n", from) + 1);
        assertEquals(
                table,
                page.substring(from, to),
                "the table of reasons in docs/operations.md is to be:\n" + HEAD + table);
    }

    @Test
    void eachReasonHasATextOfItsOwn() {
        assertEquals(
                DeadLetterReason.values().length,
                Arrays.stream(DeadLetterReason.values())
                        .map(DeadLetterReason::text)
                        .distinct()
                        .count());
    }
}
