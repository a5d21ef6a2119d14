package dev.sluice.job.lab.generate;

import dev.sluice.job.SluiceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Writes rule sets as lines of a rule file. The same settings and seed give the same lines. Not
 * thread-safe.
 */
public final class RuleGenerator {
    private static final int MOST_RULES = 1_000_000;
    private static final int[] WELL_KNOWN = {
        20, 21, 22, 25, 53, 80, 110, 123, 143, 161, 443, 993, 1433, 1521, 3306, 3389, 5060, 8080
    };

    /** Lengths and weights of address prefixes of a shape, by rough published shares. */
    private static final int[][] SPECIFIC = {
        {32, 45}, {31, 15}, {30, 8}, {28, 8}, {24, 14}, {16, 6}, {0, 4}
    };

    private static final int[][] NEARLY_WILD = {
        {0, 62}, {1, 16}, {2, 4}, {8, 4}, {16, 4}, {24, 5}, {32, 5}
    };
    private static final int[][] MIXED = {
        {32, 30}, {31, 14}, {24, 20}, {23, 10}, {16, 10}, {8, 4}, {0, 12}
    };

    private final RuleShape shape;
    private final int count;
    private final Classes classes;
    private final double wildRatio;
    private final SplittableRandom random;

    /**
     * The knobs of {@link RuleShape#CLASSES}.
     *
     * @param masks C, distinct masks
     * @param full F, masks that share all rules but one for each other mask
     * @param matching Cm, masks of which one header matches a rule
     * @param fields 5 or 12
     */
    public record Classes(int masks, int full, int matching, int fields) {}

    /**
     * A generator.
     *
     * @param wildRatio {@link RuleShape#OPENFLOW}: share of wild values in the seven fields beyond
     *     the 5-tuple
     * @throws SluiceException if the numbers contradict each other
     */
    public RuleGenerator(RuleShape shape, int count, long seed, Classes classes, double wildRatio) {
        check(count);
        if (shape == RuleShape.CLASSES
                && (classes.full < 1
                        || classes.full > classes.masks
                        || classes.masks > count
                        || classes.matching > classes.masks
                        || classes.fields != 5 && classes.fields != 12)) {
            throw new SluiceException(
                    "--masks, --full-masks, --matching-masks and --fields do not fit: at least one full mask, at most as many as masks, at most as many masks as rules, 5 or 12 fields");
        }
        if (!(wildRatio >= 0 && wildRatio <= 1)) {
            throw new SluiceException("--wild-ratio " + wildRatio + " is not in 0 to 1");
        }
        this.shape = shape;
        this.count = count;
        this.classes = classes;
        this.wildRatio = wildRatio;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Lines by the statistics of a parameter file of ClassBench, longer prefixes first.
     *
     * @throws SluiceException if the file cannot be read, naming its line
     */
    public static List<String> bySeedFile(Path file, int count, long seed) {
        check(count);
        return new SeededRules(SeedFile.read(file), seed).lines(count);
    }

    private static void check(int count) {
        if (count < 1 || count > MOST_RULES) {
            throw new SluiceException("--count " + count + " is not in 1 to " + MOST_RULES);
        }
    }

    /** The lines, best rule first where the format has no priority. */
    public List<String> lines() {
        return switch (shape) {
            case ACL, FW, IPC -> fiveTuples();
            case IPV6 -> ipv6();
            case CLASSES -> classes();
            case OPENFLOW -> openFlow();
            case ROUTES -> routes(false);
            case ROUTES6 -> routes(true);
            case HOSTILE -> hostile();
        };
    }

    private int length(int[][] weights) {
        int total = 0;
        for (int[] weight : weights) {
            total += weight[1];
        }
        int at = random.nextInt(total);
        for (int[] weight : weights) {
            at -= weight[1];
            if (at < 0) {
                return weight[0];
            }
        }
        return 0;
    }

    /** An address out of a few thousand subnets, so that prefixes nest and repeat. */
    private int address() {
        int network = random.nextInt(96) * 0x01234567 & 0xffff0000;
        return network | random.nextInt(64) << 8 | random.nextInt(256);
    }

    static String dotted(int address) {
        return (address >>> 24)
                + "."
                + (address >>> 16 & 255)
                + "."
                + (address >>> 8 & 255)
                + "."
                + (address & 255);
    }

    static int cut(int address, int length) {
        return length == 0 ? 0 : address & -1 << 32 - length;
    }

    private String prefix(int length) {
        return dotted(cut(address(), length)) + "/" + length;
    }

    private String ports(int wild, int exact) {
        int kind = random.nextInt(100);
        if (kind < wild) {
            return "0 : 65535";
        }
        if (kind < wild + exact) {
            int port = WELL_KNOWN[random.nextInt(WELL_KNOWN.length)];
            return port + " : " + port;
        }
        return switch (random.nextInt(3)) {
            case 0 -> "1024 : 65535";
            case 1 -> "0 : 1023";
            default -> {
                int low = 1024 + random.nextInt(200) * 100;
                yield low + " : " + (low + 1 + random.nextInt(500));
            }
        };
    }

    private String protocol() {
        int kind = random.nextInt(100);
        return kind < 60
                ? "0x06/0xFF"
                : kind < 85 ? "0x11/0xFF" : kind < 90 ? "0x01/0xFF" : "0x00/0x00";
    }

    private List<String> fiveTuples() {
        Set<String> lines = new LinkedHashSet<>();
        int tries = 0;
        while (lines.size() < count - 1 && tries++ < 20 * count + 100) {
            boolean swap = random.nextBoolean();
            int[][] one =
                    shape == RuleShape.ACL ? SPECIFIC : shape == RuleShape.FW ? NEARLY_WILD : MIXED;
            int[][] other = shape == RuleShape.IPC ? MIXED : SPECIFIC;
            int src = length(swap || shape == RuleShape.ACL ? one : other);
            int dst = length(swap || shape == RuleShape.ACL ? other : one);
            lines.add(
                    "@%s\t%s\t%s\t%s\t%s\t0x0000/0x0000\t"
                            .formatted(
                                    prefix(src),
                                    prefix(dst),
                                    ports(shape == RuleShape.ACL ? 99 : 85, 5),
                                    ports(25, 55),
                                    protocol()));
        }
        List<String> ordered = new ArrayList<>(lines);
        // More specific first, with noise, as administrators write them.
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < ordered.size(); i++) {
            keys.add(specificity(ordered.get(i)) * 8 + random.nextInt(96));
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < ordered.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparing((Integer i) -> keys.get(i)).reversed());
        List<String> sorted = new ArrayList<>(order.stream().map(ordered::get).toList());
        sorted.add("@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00\t0x0000/0x0000\t");
        return sorted;
    }

    /** Lengths of both prefixes of a line. */
    static int specificity(String line) {
        String[] words = line.substring(1).split("\t", 3);
        return Integer.parseInt(words[0].substring(words[0].indexOf('/') + 1))
                + Integer.parseInt(words[1].substring(words[1].indexOf('/') + 1));
    }

    private String address6(int length) {
        int site = random.nextInt(200);
        int subnet = random.nextInt(64);
        int host = random.nextInt(256) + 1;
        int[] groups = {0x2001, 0xdb8, site, subnet, 0, 0, 0, host};
        StringBuilder text = new StringBuilder();
        for (int g = 0; g < 8; g++) {
            int bits = Math.max(0, Math.min(16, length - 16 * g));
            int value = bits == 0 ? 0 : groups[g] & 0xffff << 16 - bits;
            text.append(g == 0 ? "" : ":").append(Integer.toHexString(value));
        }
        return text + "/" + length;
    }

    private List<String> ipv6() {
        int[] lengths = {0, 32, 48, 56, 64, 64, 128, 128};
        Set<String> lines = new LinkedHashSet<>();
        int tries = 0;
        while (lines.size() < count && tries++ < 20 * count + 100) {
            lines.add(
                    "@%s\t%s\t%s\t%s\t%s"
                            .formatted(
                                    address6(lengths[random.nextInt(8)]),
                                    address6(lengths[random.nextInt(8)]),
                                    ports(80, 10),
                                    ports(25, 55),
                                    protocol()));
        }
        return new ArrayList<>(lines);
    }

    private List<String> routes(boolean six) {
        Set<String> prefixes = new LinkedHashSet<>();
        int tries = 0;
        while (prefixes.size() < count && tries++ < 20 * count + 100) {
            int kind = random.nextInt(100);
            if (six) {
                int length =
                        kind < 45
                                ? 48
                                : kind < 75
                                        ? 32
                                        : kind < 90
                                                ? 36 + random.nextInt(12)
                                                : 49 + random.nextInt(80);
                int a = 0x2000 | random.nextInt(0x1000);
                int[] groups = new int[8];
                groups[0] = a;
                for (int g = 1; g < 8; g++) {
                    groups[g] = random.nextInt(0x10000);
                }
                StringBuilder text = new StringBuilder();
                for (int g = 0; g < 8; g++) {
                    int bits = Math.max(0, Math.min(16, length - 16 * g));
                    int value = bits == 0 ? 0 : groups[g] & 0xffff << 16 - bits & 0xffff;
                    text.append(g == 0 ? "" : ":").append(Integer.toHexString(value));
                }
                prefixes.add("%03d %s/%d".formatted(length, text, length));
            } else {
                // 3 % are longer than /24, over half are /24 (PacketShader §6.2.1).
                int length =
                        kind < 3 ? 25 + random.nextInt(8) : kind < 58 ? 24 : 8 + random.nextInt(16);
                prefixes.add(
                        "%03d %s/%d"
                                .formatted(length, dotted(cut(random.nextInt(), length)), length));
            }
        }
        return prefixes.stream()
                .sorted(Comparator.reverseOrder())
                .map(
                        p ->
                                six
                                        ? "@::/0\t"
                                                + p.substring(4)
                                                + "\t0 : 65535\t0 : 65535\t0x00/0x00"
                                        : "@0.0.0.0/0\t"
                                                + p.substring(4)
                                                + "\t0 : 65535\t0 : 65535\t0x00/0x00")
                .toList();
    }

    private String flow(int priority, String match) {
        return "priority=" + priority + match + " actions=output:" + (1 + random.nextInt(48));
    }

    private static String mac(int number) {
        return "00:1b:%02x:%02x:%02x:%02x"
                .formatted(
                        number >>> 24 & 15, number >>> 16 & 255, number >>> 8 & 255, number & 255);
    }

    private List<String> openFlow() {
        List<String> lines = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        int tries = 0;
        while (lines.size() < count && tries++ < 20 * count + 100) {
            StringBuilder match = new StringBuilder(",tcp");
            if (random.nextDouble() >= wildRatio) {
                match.append(",in_port=").append(1 + random.nextInt(48));
            }
            if (random.nextDouble() >= wildRatio) {
                match.append(",dl_src=").append(mac(random.nextInt(4096)));
            }
            if (random.nextDouble() >= wildRatio) {
                match.append(",dl_dst=").append(mac(random.nextInt(4096)));
            }
            if (random.nextDouble() >= wildRatio) {
                match.append(",dl_vlan=").append(1 + random.nextInt(256));
                if (random.nextDouble() >= wildRatio) {
                    match.append(",dl_vlan_pcp=").append(random.nextInt(8));
                }
            }
            if (random.nextDouble() >= wildRatio) {
                match.append(",nw_tos=").append(4 * random.nextInt(64));
            }
            match.append(",nw_src=").append(prefix(length(MIXED)));
            match.append(",nw_dst=").append(prefix(length(SPECIFIC)));
            if (random.nextInt(3) > 0) {
                match.append(",tp_dst=").append(WELL_KNOWN[random.nextInt(WELL_KNOWN.length)]);
            }
            if (seen.add(match.toString())) {
                lines.add(flow(1 + random.nextInt(65_535), match.toString()));
            }
        }
        return lines;
    }

    /**
     * N rules of C masks: F full ones share all but one rule for each of the others. Cm masks hold
     * a rule of one common header, the first of the trace.
     */
    private List<String> classes() {
        int share = (count - (classes.masks - classes.full)) / classes.full;
        List<int[]> masks = masks();
        List<String> lines = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        for (int c = 0; c < classes.masks; c++) {
            int rules = c < classes.full ? share : 1;
            for (int r = 0, tries = 0; r < rules && tries < 50 * rules; tries++) {
                boolean common = r == 0 && c < classes.matching;
                String match = classMatch(masks.get(c), common);
                if (seen.add(match)) {
                    lines.add(flow(1 + random.nextInt(65_535), match));
                    r++;
                }
            }
        }
        return lines;
    }

    /** Distinct masks: prefix lengths of both addresses, and which other fields are named. */
    private List<int[]> masks() {
        Set<List<Integer>> distinct = new LinkedHashSet<>();
        int bits = classes.fields == 12 ? 8 : 3;
        int tries = 0;
        while (distinct.size() < classes.masks) {
            distinct.add(
                    List.of(
                            8 + random.nextInt(25),
                            8 + random.nextInt(25),
                            random.nextInt(1 << bits)));
            if (++tries > 1000 * classes.masks) {
                throw new SluiceException("there are not " + classes.masks + " masks of this kind");
            }
        }
        return distinct.stream()
                .map(m -> m.stream().mapToInt(Integer::intValue).toArray())
                .toList();
    }

    private String classMatch(int[] mask, boolean common) {
        int src = common ? 0x0a010203 : random.nextInt();
        int dst = common ? 0x0a040506 : random.nextInt();
        int n = common ? 1 : random.nextInt(4096);
        int named = mask[2];
        StringBuilder match =
                new StringBuilder((named & 1) != 0 || (named & 6) != 0 ? ",tcp" : ",ip");
        match.append(",nw_src=").append(dotted(cut(src, mask[0]))).append('/').append(mask[0]);
        match.append(",nw_dst=").append(dotted(cut(dst, mask[1]))).append('/').append(mask[1]);
        if ((named & 2) != 0) {
            match.append(",tp_src=").append(common ? 1000 : random.nextInt(65_536));
        }
        if ((named & 4) != 0) {
            match.append(",tp_dst=").append(common ? 80 : random.nextInt(65_536));
        }
        if ((named & 8) != 0) {
            match.append(",in_port=").append(1 + n % 48);
        }
        if ((named & 16) != 0) {
            match.append(",dl_src=").append(mac(n));
        }
        if ((named & 32) != 0) {
            match.append(",dl_dst=").append(mac(n));
        }
        if ((named & 64) != 0) {
            match.append(",dl_vlan=").append(1 + n % 4000);
        }
        if ((named & 128) != 0) {
            match.append(",nw_tos=").append(4 * (n % 64));
        }
        return match.toString();
    }

    private List<String> hostile() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int srcMask = 1 << i % 32 | 1 << i / 32 % 32;
            int dstMask = Integer.reverse(srcMask) | 1 << i % 29;
            lines.add(
                    flow(
                            1 + i * 7919 % 65_535,
                            String.format(
                                    Locale.ROOT,
                                    ",ip,nw_src=%s/%s,nw_dst=%s/%s",
                                    dotted(i * 0x9e3779b1 & srcMask),
                                    dotted(srcMask),
                                    dotted(i * 0x85ebca6b & dstMask),
                                    dotted(dstMask))));
        }
        return lines;
    }
}
