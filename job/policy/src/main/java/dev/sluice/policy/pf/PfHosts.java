package dev.sluice.policy.pf;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.AddressRanges;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hosts as rules for pf name them: addresses, tables, interfaces, names. */
final class PfHosts {
    private static final Pattern OF_INTERFACE =
            Pattern.compile("[A-Za-z][\\w.]*(:(network|broadcast|peer|0))+");

    /** Beginning of an IPv4 address, whose other bytes are 0. */
    private static final Pattern SHORT = Pattern.compile("(\\d+(?:\\.\\d+){0,2})/(\\d+)");

    /** Packets that come from addresses of the host itself. */
    static final Condition LOOPBACK =
            any(
                    loopback(Field.VERSION_4, Field.IPV4_SRC, 0x7f00_0000L, 0x7fff_ffffL),
                    loopback(Field.VERSION_6, Field.IPV6_SRC, 1, 1));

    private final RuleReading in;
    private final Map<String, Table> tables = new LinkedHashMap<>();
    private final Set<String> missing = new HashSet<>();

    PfHosts(RuleReading in) {
        this.in = in;
    }

    /** Addresses of a table, and words about those that the file does not tell. */
    private record Table(AddressRanges known, List<Condition> unknown) {}

    private record Entry(AddressRanges addresses, boolean negated) {
        /** Number of its addresses as a power of two, or more. */
        int size() {
            return addresses.v4().ranges().isEmpty()
                    ? addresses.v6().ranges().get(0).size().bitLength()
                    : addresses.v4().ranges().get(0).size().bitLength();
        }
    }

    /** Reads the rest of the statement {@code table}. */
    void table(PfCursor at) throws RuleSyntaxException {
        PfToken name = at.word("a table's name, as in <name>");
        List<Entry> entries = new ArrayList<>();
        List<Condition> unknown = new ArrayList<>();
        boolean listed = false;
        boolean constant = false;
        while (!at.peek().ends()) {
            if (at.take("const")) {
                constant = true;
            } else if (at.take("file")) {
                listed = true;
                unknown.add(unknown("the addresses in file " + at.word("a file").text()));
            } else if (at.peek().is("{")) {
                listed = true;
                at.list(
                        () -> {
                            boolean negated = at.take("!");
                            PfToken word = at.word("an address");
                            if (!isAddress(word)) {
                                unknown.add(unknown("the addresses of " + word.text()));
                                return;
                            }
                            entries.add(new Entry(address(word, at), negated));
                        });
            } else if (!at.take("persist") && !at.take("counters")) {
                throw at.next().refused("is no option of a table; write persist, const, file or {");
            }
        }
        if (!listed && !constant) {
            unknown.add(unknown("the addresses of table " + name.text()));
        }
        entries.sort(Comparator.comparingInt(Entry::size).reversed());
        AddressRanges known = AddressRanges.NONE;
        for (Entry entry : entries) { // the longest prefix counts
            known = entry.negated ? known.minus(entry.addresses) : known.or(entry.addresses);
        }
        if (tables.put(name.text(), new Table(known, unknown)) != null) {
            throw name.refused("is defined a second time; keep one table of the name");
        }
    }

    private static Condition loopback(int version, Field field, long low, long high) {
        return all(is(Field.IP_VERSION, version), new Condition.In(field, ValueSet.of(low, high)));
    }

    private static Condition unknown(String words) {
        return new Condition.Unknown(words);
    }

    private static boolean isAddress(PfToken word) {
        return AddressRanges.isAddress(word.text()) && !OF_INTERFACE.matcher(word.text()).matches();
    }

    private static AddressRanges address(PfToken word, PfCursor at) throws RuleSyntaxException {
        String text = word.text();
        if (at.take("-")) {
            return AddressRanges.between(text, at.word("an address").text(), word.column());
        }
        Matcher shorter = SHORT.matcher(text);
        if (shorter.matches()) {
            String address = shorter.group(1);
            int bytes = address.split("\\.").length;
            return AddressRanges.block(
                    address + ".0".repeat(4 - bytes), shorter.group(2), word.column());
        }
        return AddressRanges.of(text, word.column());
    }

    /**
     * The condition of the next host, by whether it is the source.
     *
     * @param source whether packets come from it
     */
    Condition host(PfCursor at, boolean source) throws RuleSyntaxException {
        boolean negated = at.take("!");
        PfToken word = at.word("a host");
        if (word.is("any")) {
            return negated ? Condition.NEVER : Condition.ALWAYS;
        }
        if (word.is("(")) {
            StringBuilder name = new StringBuilder("the addresses of");
            while (!at.take(")")) {
                name.append(' ').append(at.word("a closing )").text());
            }
            at.take("/");
            return negate(side(name.toString(), source), negated);
        }
        if (word.text().startsWith("<") && word.text().endsWith(">")) {
            return negate(table(word, source), negated);
        }
        if (word.is("route")) {
            return negate(side("route " + at.word("a label").text(), source), negated);
        }
        if (word.is("urpf-failed") || word.is("no-route")) {
            return negate(unknown((source ? "from " : "to ") + word.text()), negated);
        }
        if (!isAddress(word) || word.quoted()) {
            return negate(side("the addresses of " + word.text(), source), negated);
        }
        int scope = word.text().indexOf('%');
        if (scope >= 0) {
            int slash = Math.max(word.text().indexOf('/'), 0);
            String rest = slash > scope ? word.text().substring(slash) : "";
            Condition of =
                    AddressRanges.of(word.text().substring(0, scope) + rest, word.column())
                            .condition(source);
            return negate(all(of, side("the scope of " + word.text(), source)), negated);
        }
        AddressRanges addresses = address(word, at);
        if (!negated) {
            return addresses.condition(source);
        }
        boolean v4 = !addresses.v4().ranges().isEmpty(); // the rule is of the address's IP version
        return (v4 ? AddressRanges.V4 : AddressRanges.V6).minus(addresses).condition(source);
    }

    private Condition table(PfToken name, boolean source) {
        Table table = tables.get(name.text());
        if (table == null) {
            if (missing.add(name.text())) {
                in.warn(
                        name.line(),
                        "table %s is not defined in this file: rules that ask for it depend"
                                .formatted(name.text()));
            }
            return side("the addresses of table " + name.text(), source);
        }
        List<Condition> parts = new ArrayList<>(table.unknown);
        if (parts.isEmpty() || !table.known.equals(AddressRanges.NONE)) {
            parts.add(0, table.known.condition(source));
        }
        return any(
                parts.stream()
                        .map(
                                one ->
                                        one instanceof Condition.Unknown of
                                                ? side(of.words(), source)
                                                : one)
                        .toArray(Condition[]::new));
    }

    /** The unknown of a side: source and destination may differ in it. */
    private static Condition side(String words, boolean source) {
        return unknown(words + (source ? " at the source" : " at the destination"));
    }

    private static Condition negate(Condition of, boolean negated) {
        return negated ? Condition.not(of) : of;
    }
}
