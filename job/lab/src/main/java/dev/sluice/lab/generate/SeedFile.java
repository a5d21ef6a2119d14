package dev.sluice.lab.generate;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of a rule set as ClassBench's parameter files have them (D. E. Taylor and J. S.
 * Turner, "ClassBench: A Packet Classification Benchmark", 2005, §4): sections that begin with
 * {@code -name} and end with {@code #}.
 *
 * <pre>
 * -prots        protocol, its weight, a weight for each of the 25 kinds of port pairs
 * -flags        protocol, then value/mask,weight of TCP flags
 * -spar -dpar   weight and low:high, port ranges of sources and destinations
 * -spem -dpem   the same for single ports
 * -wc_wc ...    for each kind of port pairs: total length,weight of the prefixes, then length,weight
 *               of the source prefix
 * -snest -dnest prefixes that nest in one another, at most
 * -sskew -dskew level, share of nodes with one child, skew of the others' weights
 * -pcorr        level, share of rules whose source and destination go on alike
 * </pre>
 *
 * <p>Other sections, such as {@code -scale} and {@code -extra}, are skipped.
 */
final class SeedFile {
    /**
     * Kinds of port pairs, in the order of their weights beside a protocol; the paper calls them
     * port pair classes. Of the source and of the destination, wc is any port, hi from 1024 on, lo
     * below 1024, ar a range, em one port.
     */
    private static final List<String> PAIRS =
            List.of(
                    "wc_wc", "wc_hi", "hi_wc", "hi_hi", "wc_lo", "lo_wc", "hi_lo", "lo_hi", "lo_lo",
                    "wc_ar", "ar_wc", "hi_ar", "ar_hi", "wc_em", "em_wc", "hi_em", "em_hi", "lo_ar",
                    "ar_lo", "lo_em", "em_lo", "ar_ar", "ar_em", "em_ar", "em_em");

    /** Lowest and highest port. */
    record Range(int low, int high) {}

    /** A protocol and the kinds of its port pairs, by weight. */
    record Protocol(int number, WeightedChoice<String> pairs) {}

    /** Lengths of both prefixes together, and of the source prefix. */
    record Lengths(int total, WeightedChoice<Integer> source) {}

    final WeightedChoice<Protocol> protocols = new WeightedChoice<>();

    /** TCP flags under a mask, in the text of a rule file, of each protocol. */
    final Map<Integer, WeightedChoice<String>> flags = new HashMap<>();

    final Map<String, WeightedChoice<Lengths>> lengths = new HashMap<>();

    /** Of sources and destinations: ranges, single ports, nesting, branching. */
    final List<WeightedChoice<Range>> ranges =
            List.of(new WeightedChoice<>(), new WeightedChoice<>());

    final List<WeightedChoice<Range>> ports =
            List.of(new WeightedChoice<>(), new WeightedChoice<>());
    final int[] nesting = {32, 32};
    final double[][] oneChild = new double[2][32];
    final double[][] skew = new double[2][32];
    final double[] alike = new double[33];

    private final Path file;
    private int line;

    private SeedFile(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @throws SluiceException naming file and line, if it is none or lacks a section
     */
    static SeedFile read(Path file) {
        SeedFile seed = new SeedFile(file);
        try (BufferedReader reader = TextFiles.open(file)) {
            String section = null;
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                seed.line++;
                String words = text.strip();
                if (words.startsWith("#") || words.isEmpty()) {
                    section = words.isEmpty() ? section : null;
                } else if (words.startsWith("-") && section == null) {
                    section = words.substring(1).strip();
                } else if (section == null) {
                    throw seed.bad("'" + words + "' belongs to no section: one begins with -NAME");
                } else {
                    seed.take(section, words.split("\\s+"));
                }
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("seed file", file, e), e);
        }
        if (seed.protocols.isEmpty() || seed.lengths.isEmpty()) {
            throw new SluiceException(
                    "seed file "
                            + file
                            + " has no "
                            + (seed.protocols.isEmpty() ? "-prots" : "-wc_wc or other prefix")
                            + " section: it is no parameter file of ClassBench");
        }
        return seed;
    }

    private SluiceException bad(String what) {
        return new SluiceException("seed file " + file + ", line " + line + ": " + what);
    }

    private void take(String section, String[] words) {
        switch (section) {
            case "prots" -> protocol(words);
            case "flags" -> flags(words);
            case "spar" -> ranges.get(0).add(range(words), weightBeside(words));
            case "dpar" -> ranges.get(1).add(range(words), weightBeside(words));
            case "spem" -> ports.get(0).add(range(words), weightBeside(words));
            case "dpem" -> ports.get(1).add(range(words), weightBeside(words));
            case "snest" -> nesting[0] = whole(words[0], 1, 33);
            case "dnest" -> nesting[1] = whole(words[0], 1, 33);
            case "sskew" -> branching(0, words);
            case "dskew" -> branching(1, words);
            case "pcorr" -> alike[whole(words[0], 0, 32)] = share(word(words, 1));
            default -> {
                if (PAIRS.contains(section)) {
                    lengths(section, words);
                }
            }
        }
    }

    private void protocol(String[] words) {
        if (words.length != 2 + PAIRS.size()) {
            throw bad(
                    "a protocol takes its number, its weight and "
                            + PAIRS.size()
                            + " weights of port pairs, not "
                            + words.length
                            + " words");
        }
        WeightedChoice<String> pairs = new WeightedChoice<>();
        for (int k = 0; k < PAIRS.size(); k++) {
            pairs.add(PAIRS.get(k), weight(words[2 + k]));
        }
        if (pairs.isEmpty()) {
            throw bad("a protocol whose port pairs all weigh 0");
        }
        protocols.add(new Protocol(whole(words[0], 0, 255), pairs), weight(words[1]));
    }

    private void flags(String[] words) {
        WeightedChoice<String> choice =
                Objects.requireNonNull(
                        flags.computeIfAbsent(
                                whole(words[0], 0, 255), protocol -> new WeightedChoice<>()));
        for (int k = 1; k < words.length; k++) {
            String[] parts = words[k].split(",");
            if (parts.length != 2
                    || !parts[0].matches("0[xX][0-9a-fA-F]{1,4}/0[xX][0-9a-fA-F]{1,4}")) {
                throw bad("'" + words[k] + "' is not value/mask,weight");
            }
            choice.add(parts[0], weight(parts[1]));
        }
    }

    private void lengths(String pair, String[] words) {
        WeightedChoice<Integer> source = new WeightedChoice<>();
        String[] first = words[0].split(",");
        if (first.length != 2) {
            throw bad("'" + words[0] + "' is not total length,weight");
        }
        int total = whole(first[0], 0, 64);
        for (int k = 1; k < words.length; k++) {
            String[] parts = words[k].split(",");
            if (parts.length != 2) {
                throw bad("'" + words[k] + "' is not source length,weight");
            }
            int length = whole(parts[0], 0, 32);
            if (length > total || total - length > 32) {
                throw bad("a source length of " + length + " of " + total + " in all");
            }
            source.add(length, weight(parts[1]));
        }
        if (source.isEmpty()) {
            throw bad("a total length without lengths of the source prefix");
        }
        Objects.requireNonNull(lengths.computeIfAbsent(pair, p -> new WeightedChoice<>()))
                .add(new Lengths(total, source), weight(first[1]));
    }

    private void branching(int side, String[] words) {
        int level = whole(words[0], 0, 32);
        if (level < 32) {
            oneChild[side][level] = share(word(words, 1));
            skew[side][level] = share(word(words, 2));
        }
    }

    private Range range(String[] words) {
        for (String word : words) {
            String[] ends = word.split(":");
            if (ends.length == 2) {
                int low = whole(ends[0], 0, 65_535);
                return new Range(low, whole(ends[1], low, 65_535));
            }
        }
        throw bad("no low:high here");
    }

    private double weightBeside(String[] words) {
        for (String word : words) {
            if (word.indexOf(':') < 0) {
                return weight(word);
            }
        }
        throw bad("no weight here");
    }

    private String word(String[] words, int at) {
        if (at >= words.length) {
            throw bad("the line is cut: more than " + words.length + " words are expected");
        }
        return words[at];
    }

    private int whole(@Nullable String word, int low, int high) {
        try {
            int value = Integer.parseInt(String.valueOf(word));
            if (value >= low && value <= high) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw bad("'" + word + "' is not a whole number");
        }
        throw bad("'" + word + "' is not in " + low + " to " + high);
    }

    private double weight(String word) {
        try {
            double value = Double.parseDouble(word);
            if (value >= 0 && value < 1e9) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw bad("'" + word + "' is not a number");
        }
        throw bad("'" + word + "' is not a weight");
    }

    private double share(String word) {
        double value = weight(word);
        if (value > 1) {
            throw bad("'" + word + "' is not in 0 to 1");
        }
        return value;
    }
}
