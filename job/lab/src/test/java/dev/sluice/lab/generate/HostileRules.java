package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Rules of a {@link HostilePattern}. */
record HostileRules(RandomParts parts, HostilePattern pattern) {
    private static final int PORTS = 1 << 16;
    private static final String ANY_ADDRESS = "0.0.0.0/0";
    private static final String ANY_PORT = "0 : 65535";
    private static final String ANY_PROTOCOL = "0x00/0x00";
    private static final String TCP = "0x06/0xFF";

    List<String> lines(int count) {
        return switch (pattern) {
            case SCATTERED -> each(count, parts::scattered);
            case NESTED_RANGES -> each(count, i -> nestedRanges(i));
            case GRID -> each(count, i -> grid(i, count));
            case MASKS -> each(count, i -> masks(i));
            case HOST_RANGES -> each(count, i -> hostRanges(i));
            case WIDE_MASKS -> each(count, i -> wideMasks(i));
            case CHAIN -> each(count, i -> chain(i, count));
            case DEFAULTS -> each(count, i -> defaults(i));
            case COPIES -> each(count, i -> copy(i));
            case ONE_PAIR -> each(count, i -> onePair(i));
            case SHORT_ROUTES -> each(count, i -> shortRoute(i));
        };
    }

    private static List<String> each(int count, IntFunction<String> line) {
        List<String> lines = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            lines.add(line.apply(i));
        }
        return lines;
    }

    private static String filter(
            String src, String dst, String srcPorts, String dstPorts, String protocol) {
        return "@%s\t%s\t%s\t%s\t%s\t0x0000/0x0000\t"
                .formatted(src, dst, srcPorts, dstPorts, protocol);
    }

    private static String range(int low, int high) {
        return low + " : " + high;
    }

    private static String prefix(int address, int length) {
        return RandomParts.dotted(RandomParts.cut(address, length)) + "/" + length;
    }

    private static String addresses(int src, int srcMask, int dst, int dstMask) {
        return String.format(
                Locale.ROOT,
                ",ip,nw_src=%s/%s,nw_dst=%s/%s",
                RandomParts.dotted(src & srcMask),
                RandomParts.dotted(srcMask),
                RandomParts.dotted(dst & dstMask),
                RandomParts.dotted(dstMask));
    }

    /** The middle ports are in all ranges; source ranges grow while destination ranges shrink. */
    private static String nestedRanges(int i) {
        int half = PORTS / 2;
        int inner = i % half;
        int outer = (int) ((i * 0x9e3779b1L >>> 7) % half);
        return filter(
                ANY_ADDRESS,
                ANY_ADDRESS,
                range(half - 1 - inner, half + inner),
                range(outer, PORTS - 1 - outer),
                TCP);
    }

    /** 33 lengths times 33 lengths, along as many branches as there are rules for. */
    private static String grid(int i, int count) {
        int lengths = 33;
        int branch = i / (lengths * lengths);
        int branches = Math.max(1, count / (lengths * lengths));
        int bits = 32 - Integer.numberOfLeadingZeros(branches);
        // The branches part at the end of the prefixes, so that all but the longest are shared.
        int src = 0x0a0a0a0a ^ branch << 8;
        int dst = 0xc0a80102 ^ branch << 8 - Math.min(8, bits);
        return filter(
                prefix(src, 32 - i % lengths),
                prefix(dst, 32 - i / lengths % lengths),
                ANY_PORT,
                ANY_PORT,
                ANY_PROTOCOL);
    }

    private String masks(int i) {
        int srcMask = parts.random().nextInt() | 1 << i % 32;
        int dstMask = parts.random().nextInt();
        return parts.flow(
                1 + i % 65_535,
                addresses(parts.random().nextInt(), srcMask, parts.random().nextInt(), dstMask));
    }

    private String hostRanges(int i) {
        int low = parts.random().nextInt(PORTS);
        int high = low + parts.random().nextInt(PORTS - low);
        return filter(prefix(0x0a000000 + i, 32), ANY_ADDRESS, ANY_PORT, range(low, high), TCP);
    }

    private String wideMasks(int i) {
        return parts.flow(
                1 + i % 65_535,
                String.format(
                        Locale.ROOT,
                        ",dl_src=%s/%s,dl_dst=%s/%s,ipv6,ipv6_src=%s,ipv6_dst=%s",
                        mac(),
                        mac(),
                        mac(),
                        mac(),
                        ipv6(),
                        ipv6()));
    }

    private String mac() {
        long bits = parts.random().nextLong();
        StringBuilder text = new StringBuilder();
        for (int b = 0; b < 6; b++) {
            text.append(b == 0 ? "" : ":")
                    .append(String.format(Locale.ROOT, "%02x", bits >>> 8 * b & 255));
        }
        return text.toString();
    }

    private String ipv6() {
        StringBuilder value = new StringBuilder();
        StringBuilder mask = new StringBuilder();
        for (int g = 0; g < 8; g++) {
            value.append(g == 0 ? "" : ":")
                    .append(Integer.toHexString(parts.random().nextInt(PORTS)));
            mask.append(g == 0 ? "" : ":")
                    .append(Integer.toHexString(parts.random().nextInt(PORTS)));
        }
        return value + "/" + mask;
    }

    /** The innermost rule first; one of four parts of the match grows with each step. */
    private static String chain(int i, int count) {
        int ports = Math.max(0, count - 2 * 32) / 2 + 1;
        int step = i;
        int src = 32 - Math.min(32, step);
        step = Math.max(0, step - 32);
        int dst = 32 - Math.min(32, step);
        step = Math.max(0, step - 32);
        int half = PORTS / 2;
        int srcPorts = Math.min(half - 1, Math.min(ports, step));
        int dstPorts = Math.min(half - 1, Math.max(0, step - ports));
        return filter(
                prefix(0x0a010203, src),
                prefix(0xc0a80405, dst),
                range(half - 1 - srcPorts, half + srcPorts),
                range(half - 1 - dstPorts, half + dstPorts),
                TCP);
    }

    private String defaults(int i) {
        int low = parts.random().nextInt(64);
        int high = PORTS - 1 - parts.random().nextInt(64);
        return filter(
                prefix(parts.random().nextInt(), parts.random().nextInt(3)),
                prefix(parts.random().nextInt(), parts.random().nextInt(3)),
                i % 3 == 0 ? ANY_PORT : range(i % 64, PORTS - 1 - i / 64 % 64),
                range(low, high),
                i % 2 == 0 ? ANY_PROTOCOL : TCP);
    }

    private String copy(int i) {
        return parts.flow(Math.max(1, 65_535 - i), ",tcp,nw_src=10.0.0.0/8,nw_dst=192.168.0.0/16");
    }

    private static String onePair(int i) {
        return filter(
                "10.0.0.0/8",
                "192.168.0.0/16",
                range(i / 60_000, i / 60_000 + 1 + i % 7),
                range(i % 60_000, i % 60_000),
                TCP);
    }

    private String shortRoute(int i) {
        int length = i % 8;
        return filter(
                ANY_ADDRESS,
                prefix(parts.random().nextInt(), length),
                ANY_PORT,
                ANY_PORT,
                ANY_PROTOCOL);
    }
}
