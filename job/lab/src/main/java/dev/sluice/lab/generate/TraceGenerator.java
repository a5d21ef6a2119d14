package dev.sluice.lab.generate;

import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Writes header traces for a rule set, in the format that goes with its fields. Not thread-safe.
 */
public final class TraceGenerator {
    private static final long IPV4_WORDS =
            HeaderWord.bit(HeaderWord.IPV4_SRC) | HeaderWord.bit(HeaderWord.IPV4_DST);

    private static final long IPV6_WORDS = 0xffL << HeaderWord.IPV6_SRC;

    private final boolean tsv;
    private final boolean four;
    private final boolean six;
    private final double misses;
    private final double locality;
    private final SplittableRandom random;
    private final SampleHeaders sample;

    /**
     * Traces for rules.
     *
     * @param tsv whether to write columns of OpenFlow fields instead of ClassBench lines
     * @param misses share of headers that are near misses or random; the others lie within a rule
     * @param locality share of headers that repeat one of the last 64
     */
    public TraceGenerator(RuleSet rules, boolean tsv, double misses, double locality, long seed) {
        this.tsv = tsv;
        this.four = (rules.layout().wordBits() & IPV4_WORDS) != 0;
        this.six = (rules.layout().wordBits() & IPV6_WORDS) != 0;
        this.misses = misses;
        this.locality = locality;
        this.random = new SplittableRandom(seed);
        this.sample = new SampleHeaders(rules, seed);
    }

    /** Traces in the form that goes with a rule file. */
    static TraceGenerator of(
            RuleFile file, RuleSet rules, double misses, double locality, long seed) {
        boolean tsv = !file.format().label().equals("classbench");
        return new TraceGenerator(rules, tsv, misses, locality, seed);
    }

    /**
     * Writes a trace for a rule file, and reads it back as a user's would be.
     *
     * @param rules the file's rules in their total order
     * @param to the trace's file; may be there, and stays
     * @param headers how many
     * @throws SluiceException if it cannot be written
     */
    public static HeaderTrace trace(
            RuleFile file,
            RuleSet rules,
            Path to,
            int headers,
            double misses,
            double locality,
            long seed) {
        TraceGenerator generator = of(file, rules, misses, locality, seed);
        TextFiles.write(to, out -> generator.write(out, headers));
        return HeaderTrace.read(to);
    }

    /** Writes so many headers. */
    public void write(Writer out, int count) throws IOException {
        if (tsv) {
            out.write(
                    "in_port\tdl_src\tdl_dst\tdl_type\tdl_vlan\tdl_vlan_pcp\tnw_src\tnw_dst\tnw_proto\tnw_tos\ttp_src\ttp_dst\n");
        }
        int[][] last = new int[64][];
        for (int i = 0; i < count; i++) {
            int[] h;
            if (i >= last.length && random.nextDouble() < locality) {
                h = last[random.nextInt(last.length)];
            } else {
                h = random.nextDouble() < misses ? sample.next() : sample.point();
                last[i % last.length] = h;
            }
            out.write(tsv ? columns(h) : line(h));
        }
    }

    /**
     * Tells whether a header is written as IPv6. With rules of both families its version decides; a
     * header of neither version is written by chance.
     */
    private boolean isIpv6(int[] h) {
        if (!four || !six) {
            return six;
        }
        int version = Field.IP_VERSION.extract(h[HeaderWord.IP]);
        return version == Field.VERSION_6
                || version != Field.VERSION_4 && (h[HeaderWord.IPV6_DST + 3] & 1) != 0;
    }

    private String line(int[] h) throws IOException {
        int ports = h[HeaderWord.PORTS];
        String tail =
                (ports >>> 16) + "\t" + (ports & 0xffff) + "\t" + (h[HeaderWord.IP] & 0xff) + "\n";
        if (isIpv6(h)) {
            return InetAddress.getByAddress(FieldBits.ipv6(h, Field.IPV6_SRC)).getHostAddress()
                    + "\t"
                    + InetAddress.getByAddress(FieldBits.ipv6(h, Field.IPV6_DST)).getHostAddress()
                    + "\t"
                    + tail;
        }
        return Integer.toUnsignedString(h[HeaderWord.IPV4_SRC])
                + "\t"
                + Integer.toUnsignedString(h[HeaderWord.IPV4_DST])
                + "\t"
                + tail;
    }

    private static String mac(long mac) {
        StringBuilder text = new StringBuilder();
        for (int shift = 40; shift >= 0; shift -= 8) {
            text.append(shift == 40 ? "" : ":").append("%02x".formatted(mac >>> shift & 255));
        }
        return text.toString();
    }

    private static String columns(int[] h) {
        int ether = h[HeaderWord.ETHER];
        int ip = h[HeaderWord.IP];
        boolean tagged = Field.VLAN_PRESENT.extract(ether) != 0;
        return String.join(
                        "\t",
                        Integer.toUnsignedString(h[HeaderWord.IN_PORT] & 0xffff),
                        mac(FieldBits.mac(h, Field.ETH_SRC)),
                        mac(FieldBits.mac(h, Field.ETH_DST)),
                        "0x0800",
                        tagged ? Integer.toString(Field.VLAN_ID.extract(ether)) : "65535",
                        tagged ? Integer.toString(Field.VLAN_PRIORITY.extract(ether)) : "0",
                        Integer.toUnsignedString(h[HeaderWord.IPV4_SRC]),
                        Integer.toUnsignedString(h[HeaderWord.IPV4_DST]),
                        Integer.toString(Field.IP_PROTO.extract(ip)),
                        Integer.toString(Field.TOS.extract(ip) & 0xfc),
                        Integer.toString(h[HeaderWord.PORTS] >>> 16),
                        Integer.toString(h[HeaderWord.PORTS] & 0xffff))
                + "\n";
    }
}
