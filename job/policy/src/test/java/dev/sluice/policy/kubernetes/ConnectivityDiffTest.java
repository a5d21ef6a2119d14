package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.kubernetes.ConnectivityDiff.Line;
import dev.sluice.policy.kubernetes.WorkloadFolder.Workload;
import dev.sluice.policy.questions.HeaderDifference;
import dev.sluice.policy.testing.AddressedPacket;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Differences of connectivity that np-guard's netpol-analyzer expects of two folders of manifests,
 * against the pairs of lines of {@code rules diff --semantic}.
 */
final class ConnectivityDiffTest {
    private static final String EXTERNAL = "[External]";
    private static final Pattern LARGE = Pattern.compile("ipblock|onlineboutique|acs-security");

    /** Reasons to refuse a folder; one of pods without addresses is empty. */
    private static final Pattern REFUSED = Pattern.compile("UserDefinedNetwork|is empty");

    private static final int[] PROTOCOLS = {6, 17, 132};

    @TempDir Path temp;

    private final Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
    private final List<String> differences = new ArrayList<>();
    private boolean dependsOnHosts;
    private int compared;
    private final Map<List<String>, Asked> known = new HashMap<>();

    /** Outcomes of a file: the rows of the table in docs/policies/kubernetes.md. */
    enum Kind {
        /** Each packet of a pair of ends differs as the file says. */
        EQUAL,
        /** As EQUAL, beside lines of ends that only one folder has. */
        WORKLOADS,
        /** As EQUAL, beside lines of an ingress controller that is no pod. */
        INGRESS,
        /** As EQUAL, but for workloads in the network of their node, which depend for Sluice. */
        HOST_NETWORK,
        /** A difference of more boxes than are kept, of which no header is asked. */
        LARGE,
        /** Sluice refuses networks of users, which a folder has. */
        REFUSED
    }

    /** Two folders, and their difference; null: one is refused. */
    private record Asked(
            WorkloadFolder old, WorkloadFolder fresh, @Nullable HeaderDifference difference) {}

    @Test
    void smallFilesAreEqualOrExplained() throws IOException {
        compare(file -> !LARGE.matcher(file).find());
        assertEquals(Map.of(Kind.EQUAL, 121, Kind.INGRESS, 12, Kind.REFUSED, 6), kinds);
        assertTrue(compared > 50_000, compared + " packets");
    }

    @Test
    @Tag("long")
    void largeFilesAreEqualOrExplained() throws IOException {
        compare(file -> LARGE.matcher(file).find());
        assertEquals(
                Map.of(
                        Kind.EQUAL, 14,
                        Kind.WORKLOADS, 12,
                        Kind.INGRESS, 14,
                        Kind.HOST_NETWORK, 2,
                        Kind.LARGE, 1),
                kinds);
        assertTrue(compared > 200_000, compared + " packets");
    }

    private void compare(Predicate<String> wanted) throws IOException {
        Path zip =
                TestData.inCheckout(
                        "job/policy/src/test/resources/dev/sluice/policy/kubernetes/np-guard/diff.zip");
        try (FileSystem files = FileSystems.newFileSystem(zip)) {
            Path tests = files.getPath("/tests");
            List<Path> expected;
            try (Stream<Path> all = Files.list(files.getPath("/test_outputs/diff"))) {
                expected = all.filter(file -> wanted.test(file.toString())).sorted().toList();
            }
            for (Path file : expected) {
                ConnectivityDiff diff = ConnectivityDiff.of(file, tests);
                assertTrue(diff != null, file.toString());
                List<String> folders = List.of(diff.old, diff.fresh);
                if (!known.containsKey(folders)) {
                    known.put(folders, ask(tests.resolve(diff.old), tests.resolve(diff.fresh)));
                }
                kinds.merge(compare(diff, known.get(folders), file), 1, Integer::sum);
            }
        }
        assertEquals(List.of(), differences);
    }

    private Asked ask(Path old, Path fresh) throws IOException {
        Map<String, Integer> numbers = new TreeMap<>();
        WorkloadFolder before = new WorkloadFolder(old, numbers);
        WorkloadFolder after = new WorkloadFolder(fresh, numbers);
        try {
            return new Asked(
                    before,
                    after,
                    HeaderDifference.of(
                            write("old.yaml", before.text()), write("new.yaml", after.text())));
        } catch (SluiceException e) {
            assertTrue(REFUSED.matcher(String.valueOf(e.getMessage())).find(), e.getMessage());
            return new Asked(before, after, null);
        }
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(temp.resolve(name), text);
    }

    private Kind compare(ConnectivityDiff diff, Asked asked, Path file) {
        if (asked.difference == null) {
            return Kind.REFUSED;
        }
        if (!asked.difference.isKept()) {
            return Kind.LARGE;
        }
        Map<List<String>, Line> byEnds = new LinkedHashMap<>();
        TreeSet<Long> bounds = new TreeSet<>(asked.old.bounds);
        bounds.addAll(asked.fresh.bounds);
        bounds.add(0L);
        dependsOnHosts = false;
        boolean alone = false;
        boolean ingress = false;
        for (Line line : diff.lines) {
            byEnds.put(List.of(line.from(), line.to()), line);
            for (String end : List.of(line.from(), line.to())) {
                if (end.endsWith(EXTERNAL)) {
                    long[] range = range(end);
                    bounds.add(range[0]);
                    bounds.add(range[1] + 1);
                }
                ingress |= end.equals("{ingress-controller}");
                alone |= isAlone(asked, end);
            }
        }
        bounds.remove(1L << 32);
        Collection<Workload> both =
                asked.old.workloads.values().stream()
                        .filter(one -> asked.fresh.workloads.containsKey(one.name()))
                        .toList();
        for (Workload from : both) {
            for (Workload to : both) {
                if (from != to) {
                    Line line = byEnds.get(List.of(from.name(), to.name()));
                    List<Workload> ends = List.of(from, to);
                    compare(asked, from.v6(), to.v6(), ends, line, file);
                }
            }
            for (long bound : bounds) {
                String outside = address(bound);
                Function<Line, Boolean> into = line -> isIn(bound, line.from());
                Function<Line, Boolean> out = line -> isIn(bound, line.to());
                List<Workload> one = List.of(from);
                compare(asked, outside, from.v4(), one, line(diff, from, into, true), file);
                compare(asked, from.v4(), outside, one, line(diff, from, out, false), file);
            }
        }
        return ingress
                ? Kind.INGRESS
                : alone ? Kind.WORKLOADS : dependsOnHosts ? Kind.HOST_NETWORK : Kind.EQUAL;
    }

    private static boolean isAlone(Asked asked, String end) {
        return asked.old.workloads.containsKey(end) != asked.fresh.workloads.containsKey(end);
    }

    private static @Nullable Line line(
            ConnectivityDiff diff, Workload of, Function<Line, Boolean> has, boolean into) {
        return diff.lines.stream()
                .filter(line -> (into ? line.to() : line.from()).equals(of.name()))
                .filter(has::apply)
                .findFirst()
                .orElse(null);
    }

    private void compare(
            Asked asked,
            String from,
            String to,
            List<Workload> ends,
            @Nullable Line line,
            Path file) {
        boolean atHost = ends.stream().anyMatch(Workload::hostNetwork);
        TreeSet<Integer> ports = new TreeSet<>(asked.old.ports);
        ports.addAll(asked.fresh.ports);
        ports.add(ReachedPorts.MOST);
        int[] header = AddressedPacket.header(from, 6, to, 40000, 1);
        for (Protocol protocol : Protocol.values()) {
            Field.IP_PROTO.put(header, PROTOCOLS[protocol.ordinal()]);
            for (int port : ports) {
                Field.DST_PORT.put(header, port);
                int bit = protocol.ordinal() << 16 | port;
                String expected = "";
                if (line != null && line.before().get(bit) != line.after().get(bit)) {
                    expected = line.before().get(bit) ? "permit to deny" : "deny to permit";
                }
                String found = asked.difference.of(header);
                compared++;
                if (atHost && found.contains("depends")) {
                    dependsOnHosts = true;
                } else if (!found.equals(expected)) {
                    differences.add(
                            "%s: %s %s to %s port %d: '%s', Sluice '%s'"
                                    .formatted(
                                            file.getFileName(),
                                            protocol,
                                            from,
                                            to,
                                            port,
                                            expected,
                                            found));
                }
            }
        }
    }

    private static boolean isIn(long address, String end) {
        return end.endsWith(EXTERNAL) && range(end)[0] <= address && address <= range(end)[1];
    }

    private static long[] range(String end) {
        String[] ends = end.replace(EXTERNAL, "").split("-");
        return new long[] {
            WorkloadFolder.address(ends[0]), WorkloadFolder.address(ends[ends.length - 1])
        };
    }

    private static String address(long number) {
        return "%d.%d.%d.%d"
                .formatted(number >> 24, number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
    }
}
