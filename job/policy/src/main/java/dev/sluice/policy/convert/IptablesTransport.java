package dev.sluice.policy.convert;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Options of iptables about a protocol and its ports, types or flags. */
record IptablesTransport(Conjunct conjunct, boolean v6) {
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int TCP = 6;
    private static final int UDPLITE = 136;
    private static final Map<Integer, String> WITH_PORTS =
            Map.of(TCP, "tcp", 17, "udp", 33, "dccp", 132, "sctp", UDPLITE, "udplite");

    private static final int FLAG_BITS = 6;
    private static final int MOST_PORTS = 15;
    private static final int MOST_TYPE = 0xff;

    /** The values of a set of protocols. */
    static List<Integer> values(ValueSet set) throws UnsayableException {
        List<Integer> values = new ArrayList<>();
        for (Range range : set.ranges()) {
            IntStream.rangeClosed(range.low().intValue(), range.high().intValue())
                    .forEach(values::add);
        }
        if (values.contains(0)) {
            throw new UnsayableException("-p 0 stands for every protocol");
        }
        return values;
    }

    /** The options about a protocol, for each line. */
    List<String> lines(int protocol) throws UnsayableException {
        String option = " -p " + protocol;
        Conjunct.Bits flags = conjunct.bits().get(Field.TCP_FLAGS);
        if (flags != null && protocol != TCP) {
            throw new UnsayableException("it asks for TCP flags of protocol " + protocol);
        }
        if (protocol == (v6 ? ICMP6 : ICMP)) {
            return Words.each(List.of(option), icmp());
        }
        String module = WITH_PORTS.get(protocol);
        if (module == null) {
            throw new UnsayableException("iptables knows no ports of protocol " + protocol);
        }
        List<String> all = List.of(protocol == UDPLITE ? option : option + " -m " + module);
        if (flags != null) {
            if (flags.mask().bitLength() > FLAG_BITS) {
                throw new UnsayableException("it asks for other TCP flags than iptables knows");
            }
            all =
                    Words.each(
                            all,
                            List.of(
                                    " --tcp-flags %s %s"
                                            .formatted(
                                                    flags(flags.mask().intValue()),
                                                    flags(flags.value().intValue()))));
        }
        all = Words.each(all, ports(Field.SRC_PORT, "--sport", protocol));
        all = Words.each(all, ports(Field.DST_PORT, "--dport", protocol));
        if (protocol == UDPLITE
                && conjunct.of(Field.SRC_PORT) == null
                && conjunct.of(Field.DST_PORT) == null) {
            all = Words.each(all, List.of(" -m multiport --sports 0:65535"));
        }
        return all;
    }

    private static String flags(int bits) {
        String names =
                IntStream.range(0, FLAG_BITS)
                        .filter(bit -> (bits >> bit & 1) != 0)
                        .mapToObj(bit -> NetworkNames.TCP_FLAGS.get(bit).toUpperCase(Locale.ROOT))
                        .collect(Collectors.joining(","));
        return names.isEmpty() ? "NONE" : names;
    }

    private List<String> ports(Field field, String option, int protocol) {
        ValueSet set = conjunct.of(field);
        if (set == null) {
            return List.of("");
        }
        Range missing = Words.missing(set, field.bits());
        if (missing != null && protocol != UDPLITE) {
            return List.of(" ! %s %s".formatted(option, ports(missing)));
        }
        if (set.ranges().size() == 1 && protocol != UDPLITE) {
            return List.of(" %s %s".formatted(option, ports(set.ranges().get(0))));
        }
        List<String> all = new ArrayList<>();
        StringBuilder list = new StringBuilder();
        int slots = 0;
        for (Range range : set.ranges()) {
            int more = range.low().equals(range.high()) ? 1 : 2;
            if (slots + more > MOST_PORTS) {
                all.add(" -m multiport %ss %s".formatted(option, list));
                list.setLength(0);
                slots = 0;
            }
            list.append(slots == 0 ? "" : ",").append(ports(range));
            slots += more;
        }
        all.add(" -m multiport %ss %s".formatted(option, list));
        return all;
    }

    private static String ports(Range range) {
        return range.low().equals(range.high())
                ? range.low().toString()
                : range.low() + ":" + range.high();
    }

    private List<String> icmp() throws UnsayableException {
        String module = v6 ? " -m icmp6" : " -m icmp";
        String option = v6 ? "--icmpv6-type " : "--icmp-type ";
        ValueSet types = types(Field.SRC_PORT);
        ValueSet codes = types(Field.DST_PORT);
        boolean anyCode = codes.equals(ValueSet.of(0, MOST_TYPE));
        if (types.equals(ValueSet.of(0, MOST_TYPE)) && anyCode) {
            return List.of(v6 ? module : module + " " + option + "any");
        }
        Range missing = Words.missing(types, 8);
        if (missing != null && missing.low().equals(missing.high()) && anyCode) {
            return List.of(module + " ! " + option + missing.low());
        }
        List<String> all = new ArrayList<>();
        for (Range range : types.ranges()) {
            for (int type = range.low().intValue(); type <= range.high().intValue(); type++) {
                if (!v6 && type == MOST_TYPE) {
                    throw new UnsayableException("--icmp-type 255 stands for every type");
                }
                if (anyCode) {
                    all.add(module + " " + option + type);
                    continue;
                }
                for (Range code : codes.ranges()) {
                    for (int c = code.low().intValue(); c <= code.high().intValue(); c++) {
                        all.add("%s %s%d/%d".formatted(module, option, type, c));
                    }
                }
            }
        }
        return all;
    }

    /** Types or codes: packets have none above 255. */
    private ValueSet types(Field field) {
        ValueSet set = conjunct.of(field);
        ValueSet all = ValueSet.of(0, MOST_TYPE);
        return set == null
                ? all
                : set.complement(field.bits())
                        .or(all.complement(field.bits()))
                        .complement(field.bits());
    }
}
