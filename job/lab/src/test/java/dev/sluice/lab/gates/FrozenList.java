package dev.sluice.lab.gates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * List of a gate's known offenders, one a line, which may only shrink. A new offender fails the
 * gate, and so does an entry that is no longer needed. The system property {@code
 * sluice.gates.shrink} has entries lowered and removed; none is ever added.
 */
final class FrozenList {
    private static final Path FOLDER =
            Path.of("src/test/resources", FrozenList.class.getPackageName().replace('.', '/'));

    private final Path file;
    private final boolean shrink;
    private final List<String> comments = new ArrayList<>();
    private final List<String> entries = new ArrayList<>();

    /** Reads the list of a gate. */
    FrozenList(String name) {
        this(FOLDER.resolve(name), Boolean.getBoolean("sluice.gates.shrink"));
    }

    FrozenList(Path file, boolean shrink) {
        this.file = file;
        this.shrink = shrink;
        CodeLines.text(file).lines().forEach(l -> (l.startsWith("#") ? comments : entries).add(l));
    }

    List<String> entries() {
        return entries;
    }

    /** Entries of the form "name count". */
    Map<String, Integer> counts() {
        Map<String, Integer> counts = new TreeMap<>();
        for (String entry : entries) {
            String[] cells = entry.split(" ");
            counts.put(cells[0], Integer.valueOf(cells[1]));
        }
        return counts;
    }

    /**
     * Checks counts. A name may have the count on the list, else its limit.
     *
     * @param slack how far a count may be below its entry
     * @param sentence tells of an offender and the remedy; takes its name, count and bound
     */
    void checkCounts(
            Map<String, Integer> now, ToIntFunction<String> limit, int slack, String sentence) {
        Map<String, Integer> frozen = counts();
        List<String> offences = new ArrayList<>();
        List<String> needed = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(now.keySet());
        names.addAll(frozen.keySet());
        for (String name : names) {
            int count = now.getOrDefault(name, 0);
            int free = limit.applyAsInt(name);
            int bound = frozen.getOrDefault(name, free);
            if (count > bound) {
                offences.add(sentence.formatted(name, count, bound));
            }
            if (count > free && frozen.containsKey(name)) {
                boolean near = count >= bound - (shrink ? 0 : slack);
                needed.add(name + " " + (near ? bound : count));
            }
        }
        check(offences, needed);
    }

    /**
     * Fails with the offences and with entries that are not needed.
     *
     * @param needed the entries that the list should have
     */
    void check(List<String> offences, List<String> needed) {
        List<String> stale = entries.stream().filter(e -> !needed.contains(e)).toList();
        if (shrink && !stale.isEmpty()) {
            write(needed);
            stale = List.of();
        }
        String remedy =
                "%s: the entry '%s' is too large or no longer needed; run the gates with -Dsluice.gates.shrink=true and commit the list";
        List<String> problems =
                Stream.concat(
                                offences.stream(),
                                stale.stream().map(e -> remedy.formatted(file.getFileName(), e)))
                        .toList();
        assertEquals("", String.join("\n", problems));
    }

    private void write(List<String> needed) {
        try {
            Files.write(file, Stream.concat(comments.stream(), needed.stream().sorted()).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
