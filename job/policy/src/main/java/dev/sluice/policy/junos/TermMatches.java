package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Match conditions of a term: what follows {@code from}. */
final class TermMatches {
    /** Conditions on what no header tells. */
    private static final Set<String> UNSEEN =
            Set.of(
                    "forwarding-class",
                    "loss-priority",
                    "source-class",
                    "destination-class",
                    "interface-group",
                    "ip-options",
                    "fragment-flags",
                    "flexible-match-mask",
                    "flexible-match-range",
                    "policy-map",
                    "rat-type",
                    "redirect-reason",
                    "service-filter-hit",
                    "gre-key",
                    "packet-trace");

    /** Statements that decide nothing. */
    private static final Set<String> IDLE =
            Set.of("source-port-range-optimize", "destination-port-range-optimize");

    private static final Set<String> SEEN =
            Set.of(
                    "address",
                    "source-address",
                    "destination-address",
                    "prefix-list",
                    "source-prefix-list",
                    "destination-prefix-list",
                    "protocol",
                    "next-header",
                    "payload-protocol",
                    "port",
                    "source-port",
                    "destination-port",
                    "icmp-type",
                    "icmp-code",
                    "tcp-flags",
                    "tcp-established",
                    "tcp-initial",
                    "is-fragment",
                    "first-fragment",
                    "fragment-offset",
                    "packet-length",
                    "ttl",
                    "hop-limit",
                    "dscp",
                    "traffic-class",
                    "precedence",
                    "interface",
                    "interface-set",
                    "ah-spi",
                    "esp-spi",
                    "spi",
                    "extension-header");

    private static final int MOST_BYTE = 0xff;
    private static final int MOST_OFFSET = 0x1fff;
    private static final int MOST_PORT = 0xffff;
    private static final ValueSet LATER = ValueSet.of(1, MOST_OFFSET);

    private final Config config;
    private final PrefixLists lists;
    private final Statement from;
    private final boolean v6;
    private final Transport transport;

    TermMatches(Config config, PrefixLists lists, Statement from, boolean v6) {
        this.config = config;
        this.lists = lists;
        this.from = from;
        this.v6 = v6;
        transport = new Transport(config, v6, protocols(from));
    }

    /** The condition of all conditions; those that are not understood are unknown, or defects. */
    List<Condition> read() {
        List<Condition> conditions = new ArrayList<>();
        addAddresses("source-", List.of(true), conditions);
        addAddresses("destination-", List.of(false), conditions);
        addAddresses("", List.of(true, false), conditions);
        for (Statement one : from.children()) {
            try {
                Condition condition = of(one);
                if (condition != null) {
                    conditions.add(condition);
                }
            } catch (JunosException e) {
                conditions.add(config.skipped(e));
            }
        }
        return conditions;
    }

    /** The protocols that the term asks for by number or name; null: it asks for none. */
    private static @Nullable ValueSet protocols(Statement from) {
        for (String keyword :
                List.of("protocol", "payload-protocol", "next-header", "ip-protocol")) {
            Statement asked = from.child(keyword);
            if (asked != null) {
                try {
                    return Numbers.of(asked, Names.PROTOCOLS, MOST_BYTE);
                } catch (JunosException e) {
                    return null; // said where the condition is read
                }
            }
        }
        return null;
    }

    private void addAddresses(String side, List<Boolean> sources, List<Condition> conditions) {
        Prefixes prefixes = new Prefixes(v6);
        List<Condition> lacking = new ArrayList<>();
        boolean excepts = false;
        Statement addresses = from.child(side + "address");
        Statement named = from.child(side + "prefix-list");
        Statement first = addresses == null ? named : addresses;
        if (first == null) {
            return;
        }
        try {
            for (Statement each : addresses == null ? List.<Statement>of() : addresses.children()) {
                prefixes.add(each);
                excepts |= each.has("except");
            }
            for (Statement each : named == null ? List.<Statement>of() : named.children()) {
                List<Prefixes.Block> blocks = lists.of(each.word);
                excepts |= each.has("except");
                if (blocks == null) {
                    lacking.add(
                            config.unknown(
                                    each.line,
                                    "the prefix-list %s is not in the file; add policy-options"
                                            .formatted(each.word)));
                    continue;
                }
                for (Prefixes.Block block : blocks) {
                    prefixes.addListed(block, each.has("except"), each);
                }
            }
            if (prefixes.isUnordered()) {
                throw first.refused(
                        "has an exception beside a mask that is no prefix; write prefixes alone");
            }
            List<Condition> some = new ArrayList<>();
            for (boolean source : sources) {
                some.add(prefixes.condition(source));
            }
            Condition either = any(some.toArray(Condition[]::new));
            if (lacking.isEmpty()) {
                conditions.add(either);
            } else if (excepts) { // a longer prefix of a list that is not there may decide
                conditions.add(lacking.get(0));
            } else {
                lacking.add(either);
                conditions.add(any(lacking.toArray(Condition[]::new)));
            }
        } catch (JunosException e) {
            conditions.add(config.skipped(e));
        } catch (IllegalArgumentException e) {
            conditions.add(
                    config.skipped(
                            first.refused(e.getMessage() + "; leave it out of one of both")));
        }
    }

    private @Nullable Condition of(Statement one) throws JunosException {
        boolean except = one.word.endsWith("-except");
        String keyword =
                except ? one.word.substring(0, one.word.length() - "-except".length()) : one.word;
        keyword = keyword.equals("ip-protocol") ? "protocol" : keyword;
        if (IDLE.contains(keyword)
                || keyword.endsWith("address")
                || keyword.endsWith("prefix-list")) {
            if (!SEEN.contains(keyword) && !IDLE.contains(keyword)) {
                throw unknownKeyword(one, keyword);
            }
            return null; // read with the other addresses
        }
        if (UNSEEN.contains(keyword)) {
            return config.unknown(one.line, one.text() + ": no header tells it");
        }
        Condition plain = plain(keyword, one, except);
        if (plain != null) {
            return plain;
        }
        throw unknownKeyword(one, keyword);
    }

    private static JunosException unknownKeyword(Statement one, String keyword) {
        String hint =
                NearestWord.of(keyword, Stream.concat(SEEN.stream(), UNSEEN.stream()))
                        .map(word -> "; did you mean " + word + "?")
                        .orElse("; leave the term out by --skip-unsupported");
        return one.refused("is a match condition that cannot be read" + hint);
    }

    private @Nullable Condition plain(String keyword, Statement one, boolean except)
            throws JunosException {
        return switch (keyword) {
            case "protocol", "payload-protocol" ->
                    in(Field.IP_PROTO, numbers(one, Names.PROTOCOLS), except);
            case "next-header" -> {
                if (!v6) {
                    throw one.refused("is for family inet6; write protocol");
                }
                Condition first = NextHeaders.first(numbers(one, Names.PROTOCOLS));
                yield except ? not(first) : first;
            }
            case "extension-header" -> NextHeaders.has(one, numbers(one, Names.PROTOCOLS), except);
            case "source-port", "destination-port", "port" -> {
                ValueSet ports = Numbers.of(one, Names.PORTS, MOST_PORT);
                yield transport.ports(one, keyword, ports, except);
            }
            case "icmp-type" ->
                    transport.icmp(one, true, numbers(one, Names.icmpTypes(v6)), except);
            case "icmp-code" ->
                    transport.icmp(one, false, numbers(one, Names.icmpCodes(v6)), except);
            case "tcp-flags" -> {
                List<Condition> some = new ArrayList<>();
                for (Statement words : one.children()) {
                    some.add(FlagExpression.of(words));
                }
                if (some.isEmpty() || except) {
                    throw one.refused("lacks its flags; write them as in tcp-flags \"syn & !ack\"");
                }
                yield transport.flags(one, any(some.toArray(Condition[]::new)));
            }
            case "tcp-established" -> transport.flags(one, FlagExpression.ESTABLISHED);
            case "tcp-initial" -> transport.flags(one, FlagExpression.INITIAL);
            case "is-fragment" -> is(Field.FRAGMENT, Field.FRAGMENT_LATER);
            case "first-fragment" -> firstFragment();
            case "fragment-offset" -> offset(one, except);
            case "packet-length" ->
                    in(Field.IP_LENGTH, Numbers.of(one, Map.of(), MOST_PORT), except);
            case "ttl", "hop-limit" -> in(Field.TTL, numbers(one, Map.of()), except);
            case "dscp", "traffic-class" -> bits(one, Names.DSCP, 2, except);
            case "precedence" -> bits(one, Names.PRECEDENCE, 5, except);
            case "interface" -> interfaces(one.children());
            case "interface-set" -> interfaceSets(one);
            case "ah-spi", "esp-spi", "spi" -> spi(keyword, one, except);
            default -> null;
        };
    }

    private static ValueSet numbers(Statement one, Map<String, Integer> names)
            throws JunosException {
        return Numbers.of(one, names, MOST_BYTE);
    }

    private static Condition in(Field field, ValueSet values, boolean except) {
        return new Condition.In(field, except ? values.complement(field.bits()) : values);
    }

    /** Juniper's pages disagree on packets that are whole, whose offset is 0, too. */
    private static Condition firstFragment() {
        return any(
                is(Field.FRAGMENT, Field.FRAGMENT_FIRST),
                all(
                        is(Field.FRAGMENT, Field.FRAGMENT_NONE),
                        new Condition.Unknown("first-fragment of a packet that is whole")));
    }

    private static Condition offset(Statement one, boolean except) throws JunosException {
        ValueSet given = Numbers.of(one, Map.of(), MOST_OFFSET);
        ValueSet values = except ? given.complement(13) : given;
        List<Condition> some = new ArrayList<>();
        if (values.contains(BigInteger.ZERO)) {
            some.add(not(is(Field.FRAGMENT, Field.FRAGMENT_LATER)));
        }
        boolean none = values.equals(ValueSet.of(0)) || values.ranges().isEmpty();
        boolean every = values.or(ValueSet.of(0)).equals(LATER.or(ValueSet.of(0)));
        if (every) {
            some.add(is(Field.FRAGMENT, Field.FRAGMENT_LATER));
        } else if (!none) {
            some.add(
                    all(
                            is(Field.FRAGMENT, Field.FRAGMENT_LATER),
                            new Condition.Unknown("the offset of a later fragment")));
        }
        return new Condition.Any(some);
    }

    /** The upper bits of the byte that holds class and precedence. */
    private static Condition bits(
            Statement one, Map<String, Integer> names, int shift, boolean except)
            throws JunosException {
        ValueSet values = Numbers.of(one, names, MOST_BYTE >> shift);
        List<ValueSet.Range> bytes = new ArrayList<>();
        for (ValueSet.Range range : values.ranges()) {
            bytes.add(
                    new ValueSet.Range(
                            range.low().shiftLeft(shift),
                            range.high().shiftLeft(shift).or(ValueSet.ones(shift))));
        }
        return in(Field.TOS, new ValueSet(bytes), except);
    }

    private static Condition spi(String keyword, Statement one, boolean except)
            throws JunosException {
        ValueSet values = Numbers.of(one, Map.of(), Integer.MAX_VALUE);
        int protocol = keyword.equals("ah-spi") ? 51 : 50;
        Condition is = is(Field.IP_PROTO, protocol);
        return all(
                keyword.equals("spi") ? any(is, is(Field.IP_PROTO, 51)) : is,
                in(Field.SPI, values, except));
    }

    private static Condition interfaces(List<Statement> names) {
        List<Condition> some = new ArrayList<>();
        for (Statement name : names) {
            some.add(new Condition.Interface(true, pattern(name.word)));
        }
        return new Condition.Any(some);
    }

    private static String pattern(String name) {
        return name.endsWith("*") ? name.substring(0, name.length() - 1) + "+" : name;
    }

    private Condition interfaceSets(Statement one) throws JunosException {
        List<Condition> some = new ArrayList<>();
        for (Statement name : one.children()) {
            Statement set = config.root().at("firewall", "interface-set", name.word);
            if (set == null) {
                some.add(
                        config.unknown(
                                name.line,
                                "the interface-set %s is not in the file".formatted(name.word)));
                continue;
            }
            for (Statement each : set.children()) {
                if (each.word.indexOf('*') >= 0
                        && each.word.indexOf('*') < each.word.length() - 1) {
                    throw each.refused("has a * that is not at its end; name the interfaces");
                }
            }
            some.add(interfaces(set.children()));
        }
        return new Condition.Any(some);
    }
}
