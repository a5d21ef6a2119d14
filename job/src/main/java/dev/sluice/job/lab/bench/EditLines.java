package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.TextFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Lines of JSON for {@code rules publish --follow}: random rules go and come back, so that their
 * number stays about the same. A rule that goes is named by its id and by its text in turn; rules
 * that others are equal to stay. Not thread-safe.
 */
final class EditLines {
    private static final int MOST_GONE = 10_000;

    private final JsonMapper json = JsonMapper.builder().build();
    private final Random random = new Random(7);
    private final List<Rule> there = new ArrayList<>();
    private final Deque<Rule> gone = new ArrayDeque<>();
    private boolean byId;

    /**
     * Lines for a file's rules, which have their ids and texts.
     *
     * @throws SluiceException if there are not two rules that no other is equal to
     */
    EditLines(List<Rule> rules) {
        Set<Match> once = new HashSet<>();
        Set<Match> more = new HashSet<>();
        rules.stream().map(Rule::match).filter(match -> !once.add(match)).forEach(more::add);
        rules.stream().filter(rule -> !more.contains(rule.match())).forEach(there::add);
        if (there.size() < 2) {
            throw new SluiceException(
                    "%d rules are equal to no other one; two are needed, to go and to come back: take a larger file"
                            .formatted(there.size()));
        }
    }

    /** Writes the next lines into a new file. */
    void write(Path file, long lines) {
        TextFiles.write(
                file,
                out -> {
                    for (long i = 0; i < lines; i++) {
                        out.write(next());
                        out.newLine();
                    }
                });
    }

    /** The next line. */
    String next() throws IOException {
        boolean back = gone.size() >= MOST_GONE || !gone.isEmpty() && random.nextBoolean();
        if (back || there.size() < 2) {
            Rule rule = gone.remove();
            there.add(rule);
            return json.writeValueAsString(Map.of("add", rule.text()));
        }
        int last = there.size() - 1;
        int pick = random.nextInt(last + 1);
        Rule rule = there.get(pick);
        there.set(pick, there.get(last));
        there.remove(last);
        gone.add(rule);
        byId = !byId;
        return json.writeValueAsString(Map.of("remove", byId ? (Object) rule.id() : rule.text()));
    }
}
