package dev.sluice.lab.gates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Classes that the pages for engineers and the package texts name. */
class NamesTest {
    private static final Path ROOT = CodeLines.root();
    private static final List<String> PAGES =
            List.of(
                    "CONTRIBUTING.md",
                    "docs/architecture.md",
                    "docs/adding-an-algorithm.md",
                    "docs/fields.md",
                    "docs/tested.md");

    private static final Pattern DECLARED =
            Pattern.compile("\\b(?:class|interface|record|enum)\\s+(\\w+)");

    /** A class in code, alone or with a member: in a page between backticks, in Javadoc a tag. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "(?:`@?|\\{@code[\\s*]+)([A-Z]\\w*[a-z]\\w*)(?:[.(#][^`}]*)?[`}]"); // no

    // constant

    /** Classes of others, schemas, and the example of a page. */
    private static final Pattern OTHERS =
            Pattern.compile("ScopeType|NullMarked|ThreadLocal|PacketHeader|PortBuckets\\w+");

    private static List<String> unknown(String text, Set<String> known) {
        return NAMED.matcher(text)
                .results()
                .map(named -> named.group(1))
                .filter(name -> !known.contains(name) && !OTHERS.matcher(name).matches())
                .toList();
    }

    @Test
    void theNamesAreThoseOfClasses() {
        Set<String> known = new HashSet<>();
        List<Path> texts =
                new ArrayList<>(Stream.of(PAGES.toArray(String[]::new)).map(Path::of).toList());
        for (Path source : CodeLines.sources(ROOT)) {
            Matcher declared = DECLARED.matcher(CodeLines.text(ROOT.resolve(source)));
            while (declared.find()) {
                known.add(declared.group(1));
            }
            if (source.endsWith("package-info.java")) {
                texts.add(source);
            }
        }
        List<String> problems = new ArrayList<>();
        for (Path text : texts) {
            for (String name : unknown(CodeLines.text(ROOT.resolve(text)), known)) {
                problems.add(text + ": there is no class " + name + "; name the one of today");
            }
        }
        assertEquals("", String.join("\n", problems));
    }

    @Test
    void aNameOfNoClassIsFound() {
        assertEquals(
                List.of("Gone", "Lost", "Left"),
                unknown(
                        "`Gone.of`, `RuleSet`, `MISS`, `Source: packets`, {@code\n * Lost}, {@code Left#at}",
                        Set.of("RuleSet")));
        assertTrue(unknown("`PortBucketsLayout`, `code`", Set.of()).isEmpty());
    }
}
