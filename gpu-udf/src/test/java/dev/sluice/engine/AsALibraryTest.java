package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines that the guide gives to users of the library compile, run, and are these. */
class AsALibraryTest {
    private static final Path PAGE = Path.of("..", "docs", "guide", "library.md");
    private static final Path SOURCE =
            Path.of("src", "test", "java", "dev", "sluice", "engine", "AsALibraryTest.java");

    private static int ruleOf(int[] packet, RuleSet rules) {
        // the guide begins
        try (Engine engine = Engine.open(rules, EngineOptions.DEFAULTS)) {
            HeaderBatch headers = engine.current().newBatch(4096);
            headers.add(packet);
            return engine.classify(headers).rule(0);
        }
        // the guide ends
    }

    @Test
    void readmesLinesTellARule() {
        Match https = new Match.Builder().field(Field.DST_PORT, 443).build();
        RuleSet rules =
                RuleSet.of("web", 1, RuleSet.DROP, List.of(new Rule(7, 10, https, "allow", 1)));
        int[] packet = new int[HeaderWord.COUNT];
        packet[HeaderWord.PORTS] = 50_123 << 16 | 443;
        assertEquals(0, ruleOf(packet, rules));
        packet[HeaderWord.PORTS] = 50_123 << 16 | 80;
        assertEquals(VerdictBatch.MISS, ruleOf(packet, rules));
    }

    @Test
    void theLinesOfTheGuideAreThoseThatRun() throws IOException {
        List<String> source = Files.readAllLines(SOURCE);
        int first = source.indexOf("        // the guide begins") + 1;
        int last = source.indexOf("        // the guide ends");
        String snippet = String.join("\n", source.subList(first, last)).stripIndent();
        String page = Files.readString(PAGE);
        assertTrue(
                page.contains("```java\n" + snippet + "\n```"),
                () -> "docs/guide/library.md lacks these lines, as they stand:\n" + snippet);
    }
}
