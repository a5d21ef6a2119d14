package dev.sluice.policy.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Expected difference of two folders of manifests by np-guard's netpol-analyzer, in any format but
 * pictures.
 */
final class ConnectivityDiff {
    private static final Pattern NAME =
            Pattern.compile("(?:.*_)?diff_between_(?<folders>.*?)\\.(?<format>[a-z.]+)");
    private static final String NOTHING = "No Connections";
    private static final Pattern TEXT =
            Pattern.compile(
                    "diff-type: \\w+, source: (.*?), destination: (.*?), [\\w-]+: (.*?), [\\w-]+: (.*?)(?:, workloads-diff-info: .*)?");
    private static final Pattern DOT =
            Pattern.compile("\\s*\"(.*?)\" -> \"(.*?)\" \\[label=\"(.*?)\" color=\"(.*?)\".*");
    private static final Pattern SVG =
            Pattern.compile(
                    "<title>([^<]*?)-&gt;([^<]*?)</title>(?:(?!</g>).)*?<text[^>]*>([^<]*)</text>\\s*</g>",
                    Pattern.DOTALL);
    private static final Pattern FILL = Pattern.compile("fill=\"([^\"]*)\">[^<]*</text>");
    private static final Pattern CHANGED = Pattern.compile("(.*) \\([\\w-]+: (.*)\\)");

    /** Folders of manifests: the old one and the new one. */
    final String old;

    final String fresh;
    final List<Line> lines = new ArrayList<>();

    /** Ports that one end reached of the other, and those that it reaches. */
    record Line(String from, String to, BitSet before, BitSet after) {}

    private ConnectivityDiff(String old, String fresh) {
        this.old = old;
        this.fresh = fresh;
    }

    /** Reads a file; null: its name says no folders of manifests. */
    static @Nullable ConnectivityDiff of(Path file, Path tests) throws IOException {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        if (!name.matches()) {
            return null;
        }
        String folders = name.group("folders");
        for (int at = folders.indexOf("_and_"); at >= 0; at = folders.indexOf("_and_", at + 1)) {
            String fresh = folders.substring(0, at);
            String old = folders.substring(at + "_and_".length());
            if (Files.isDirectory(tests.resolve(old)) && Files.isDirectory(tests.resolve(fresh))) {
                ConnectivityDiff diff = new ConnectivityDiff(old, fresh);
                diff.read(file, name.group("format"));
                return diff;
            }
        }
        return null;
    }

    private void read(Path file, String format) throws IOException {
        switch (format) {
            case "txt" -> {
                for (String line : Files.readAllLines(file)) {
                    Matcher text = TEXT.matcher(line);
                    if (text.matches()) {
                        add(text.group(1), text.group(2), text.group(3), text.group(4));
                    }
                }
            }
            case "csv" -> table(file, ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");
            case "md" -> table(file, " *\\| *");
            case "dot" -> {
                for (String line : Files.readAllLines(file)) {
                    Matcher edge = DOT.matcher(line);
                    if (edge.matches()) {
                        edge(edge.group(1), edge.group(2), edge.group(3), edge.group(4));
                    }
                }
            }
            default -> {
                Matcher edge = SVG.matcher(Files.readString(file).replace("&#45;", "-"));
                while (edge.find()) {
                    Matcher fill = FILL.matcher(edge.group());
                    String color = fill.find() ? fill.group(1) : "";
                    edge(edge.group(1), edge.group(2), edge.group(3), color);
                }
            }
        }
    }

    private void table(Path file, String border) throws IOException {
        for (String row : Files.readAllLines(file)) {
            List<String> cells =
                    Arrays.asList(row.replaceAll("^\\| *| *\\|$", "").split(border, -1));
            if (List.of("added", "removed", "changed").contains(cells.get(0))) {
                add(
                        cells.get(1),
                        cells.get(2),
                        cells.get(3).replace("\"", ""),
                        cells.get(4).replace("\"", ""));
            }
        }
    }

    /** Takes an edge of a graph, whose color says how it changes; others are of the legend. */
    private void edge(String from, String to, String label, String color) {
        if (!from.contains("[") && !from.startsWith("{")) {
            return;
        }
        Matcher changed = CHANGED.matcher(label);
        switch (color) {
            case "#008000" -> add(from, to, NOTHING, label);
            case "red2", "#ee0000" -> add(from, to, label, NOTHING);
            case "grey" -> add(from, to, label, label);
            default -> {
                if (!changed.matches()) {
                    throw new IllegalArgumentException(label + ' ' + color);
                }
                add(from, to, changed.group(2), changed.group(1));
            }
        }
    }

    private void add(String from, String to, String before, String after) {
        lines.add(new Line(from, to, ports(before), ports(after)));
    }

    private static BitSet ports(String words) {
        return words.equals(NOTHING) ? new BitSet() : ReachedPorts.of(words);
    }
}
