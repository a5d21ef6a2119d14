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

/** Expected connection list of np-guard's netpol-analyzer, in any of its formats. */
final class ConnectionList {
    private static final Pattern NAME =
            Pattern.compile(
                    "(?<folder>.+?)(?:_focus_workload_(?<focus>.+?)(?:_(?<way>ingress|egress))?(?:_with_(?<peers>.+?))?)?"
                            + "(?:_(?<ports>(?:tcp|udp|sctp)-\\d+))?(?:_(?<only>allow|deny))?(?:_explain)?"
                            + "_(?<kind>connlist|exposure|explain)_output\\.(?<format>.+)");
    private static final Pattern PAIR = Pattern.compile("(\\S.*?) => (\\S+)(?: : (.*))?");
    private static final Pattern EXPLAINED = Pattern.compile("Connections between (.*) => (.*):");
    private static final Pattern REASON = Pattern.compile("\t(Allowed|Denied) (.*?) due to .*");
    private static final Pattern NETWORK =
            Pattern.compile("Permitted connectivity analyzed in (.*):");
    private static final Pattern OBJECT =
            Pattern.compile(
                    "\"src\": \"(.*?)\",\\s*\"dst\": \"(.*?)\"(?:,\\s*\"conn\": \"(.*?)\")?");
    private static final Pattern DOT_EDGE =
            Pattern.compile("\\s*\"(.*?)\" -> \"(.*?)\" \\[label=\"(.*?)\".*");
    private static final Pattern SVG_EDGE =
            Pattern.compile(
                    "<title>([^<]*?)-&gt;([^<]*?)</title>(?:(?!</g>).)*?<text[^>]*>([^<]*)</text>",
                    Pattern.DOTALL);

    /** Name of the network of pods in a list of several. */
    private static final String POD_NETWORK = "pod-network";

    /** Folder of the manifests. */
    final String folder;

    final String format;

    /** Ports that the list is about. */
    final BitSet asked;

    /** Whether the list also names pairs that are denied. */
    final boolean isExplained;

    /** Whether the list also tells of pods that do not exist. */
    final boolean isOfExposure;

    private final boolean hasPorts;
    private final String focus;
    private final String peers;
    private final String way;
    private final @Nullable String only;

    /** Lines of the list about workloads, address ranges and others. */
    final List<Line> lines = new ArrayList<>();

    /** Whether the list is of several networks, and does not tell of each line which. */
    boolean isMixed;

    /** A pair of ends, with the ports that are permitted or denied; null: those of the list. */
    record Line(String from, String to, @Nullable String words, boolean isDenied) {}

    /** The ports of a line, whose words a line of pods that do not exist may have for itself. */
    BitSet ports(Line line) {
        return line.words == null ? asked : ReachedPorts.of(line.words);
    }

    private ConnectionList(Path file, Matcher name, @Nullable String whole) throws IOException {
        folder = whole == null ? name.group("folder") : whole;
        format = name.group("format");
        String word = whole == null ? name.group("ports") : null;
        hasPorts = word != null;
        asked = word == null ? ReachedPorts.all() : ReachedPorts.ofName(word);
        focus = whole == null ? tokens(name.group("focus")) : "";
        peers = whole == null ? tokens(name.group("peers")) : "";
        way = whole == null && name.group("way") != null ? name.group("way") : "";
        only = whole == null ? name.group("only") : null;
        isOfExposure = String.valueOf(name.group("kind")).equals("exposure");
        isExplained = Files.readString(file).contains("Specific connections and their reasons");
        read(file);
    }

    /** Reads a list; null: its name says no folder of manifests. */
    static @Nullable ConnectionList of(Path file, Path folders) throws IOException {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        if (!name.matches()) {
            return null;
        }
        String whole = name.group().replaceFirst("_(connlist|exposure|explain)_output\\..*", "");
        boolean isWhole = Files.isDirectory(folders.resolve(whole));
        return isWhole || Files.isDirectory(folders.resolve(name.group("folder")))
                ? new ConnectionList(file, name, isWhole ? whole : null)
                : null;
    }

    private static String tokens(@Nullable String words) {
        return words == null ? "" : "_" + words + "_";
    }

    /** Returns whether the list is about packets from one end to another. */
    boolean covers(String from, String to) {
        return focus.isEmpty()
                || !way.equals("ingress") && has(focus, from) && (peers.isEmpty() || has(peers, to))
                || !way.equals("egress") && has(focus, to) && (peers.isEmpty() || has(peers, from));
    }

    private static boolean has(String tokens, String end) {
        String path = end.replaceFirst("\\[\\w+]$", "");
        return tokens.contains("_" + path.replace('/', '_') + "_")
                || tokens.contains("_" + path.substring(path.indexOf('/') + 1) + "_");
    }

    /** Returns whether the list leaves out pairs that may reach each other. */
    boolean omitsAllowed() {
        return "deny".equals(only);
    }

    private void read(Path file) throws IOException {
        switch (format) {
            case "txt" -> readText(Files.readAllLines(file));
            case "csv" -> readTable(Files.readAllLines(file), ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");
            case "md" -> readTable(Files.readAllLines(file), " *\\| *");
            case "json" -> {
                String text = Files.readString(file);
                int end = text.indexOf("\"exposure_results\"");
                readAll(OBJECT.matcher(end < 0 ? text : text.substring(0, end)));
                isMixed = true;
            }
            case "dot" -> {
                for (String line : Files.readAllLines(file)) {
                    readAll(DOT_EDGE.matcher(line));
                }
            }
            default -> readAll(SVG_EDGE.matcher(Files.readString(file).replace("&#45;", "-")));
        }
    }

    private void readAll(Matcher matcher) {
        while (matcher.find()) {
            add(matcher.group(1), matcher.group(2), matcher.group(3));
        }
    }

    private void readText(List<String> text) {
        boolean ofPods = true;
        Matcher pair = null;
        for (String line : text) {
            Matcher network = NETWORK.matcher(line);
            Matcher explained = EXPLAINED.matcher(line);
            Matcher reason = REASON.matcher(line);
            Matcher plain = PAIR.matcher(line);
            if (line.startsWith("Exposure Analysis Result")) {
                return;
            } else if (network.matches()) {
                ofPods = network.group(1).equals("Pod network");
            } else if (explained.matches()) {
                pair = explained;
            } else if (reason.matches() && pair != null) {
                boolean isDenied = reason.group(1).equals("Denied");
                lines.add(new Line(pair.group(1), pair.group(2), reason.group(2), isDenied));
            } else if (ofPods && plain.matches()) {
                add(plain.group(1), plain.group(2), plain.group(3));
            }
        }
    }

    private void readTable(List<String> rows, String border) {
        List<String> columns = List.of();
        for (String row : rows) {
            if (row.contains("Exposure Analysis Result")) {
                return;
            }
            List<String> cells =
                    Arrays.asList(row.replaceAll("^\\| *| *\\|$", "").split(border, -1));
            if (cells.contains("src")) {
                columns = cells;
            } else if (!columns.isEmpty() && !row.startsWith("|--")) {
                int network = columns.indexOf("network");
                int ports = columns.indexOf("conn");
                if (network < 0 || cells.get(network).equals(POD_NETWORK)) {
                    add(
                            cells.get(0),
                            cells.get(1),
                            ports < 0 ? null : cells.get(ports).replace("\"", ""));
                }
            }
        }
    }

    private void add(String from, String to, @Nullable String ports) {
        boolean isAsked = hasPorts || ports == null || ports.isEmpty();
        lines.add(new Line(from, to, isAsked ? null : ports, false));
    }
}
