package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Addresses by name, from the books of SRX: that attached to the zone, that within the zone, then
 * that of all zones (Juniper, "Address Books and Address Sets").
 */
final class AddressBooks {
    private static final int MOST_NESTED = 32;

    private final Config config;

    AddressBooks(Config config) {
        this.config = config;
    }

    /** Addresses of one name, some of which nobody can see. */
    private static final class Found {
        private final List<ValueSet.Range> v4 = new ArrayList<>();
        private final List<ValueSet.Range> v6 = new ArrayList<>();
        private final List<Prefixes.Block> masked = new ArrayList<>();
        private final List<Condition> others = new ArrayList<>();

        Condition condition(boolean source) {
            Field field4 = source ? Field.IPV4_SRC : Field.IPV4_DST;
            List<Condition> some = new ArrayList<>(others);
            if (!v4.isEmpty()) {
                some.add(all(version(false), new Condition.In(field4, new ValueSet(v4))));
            }
            if (!v6.isEmpty()) {
                Field field6 = source ? Field.IPV6_SRC : Field.IPV6_DST;
                some.add(all(version(true), new Condition.In(field6, new ValueSet(v6))));
            }
            for (Prefixes.Block one : masked) {
                some.add(all(version(false), new Condition.Bits(field4, one.value(), one.mask())));
            }
            return Condition.any(some.toArray(Condition[]::new));
        }
    }

    private static Condition version(boolean v6) {
        return is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
    }

    /**
     * The condition that an address has one of some names.
     *
     * @param zone the zone that the packet is of on that side; empty: any
     */
    Condition of(List<Statement> names, String zone, boolean source) {
        Found found = new Found();
        for (Statement name : names) {
            switch (name.word) {
                case "any" -> {
                    return Condition.ALWAYS;
                }
                case "any-ipv4" -> found.others.add(version(false));
                case "any-ipv6" -> found.others.add(version(true));
                default -> add(name, books(zone), found);
            }
        }
        return found.condition(source);
    }

    private List<Statement> books(String zone) {
        List<Statement> books = new ArrayList<>();
        Statement all = config.root().at("security", "address-book");
        for (Statement book : all == null ? List.<Statement>of() : all.children()) {
            if (book.at("attach", "zone", zone) != null) {
                books.add(book);
            }
        }
        Statement own =
                config.root().at("security", "zones", "security-zone", zone, "address-book");
        if (own != null) {
            books.add(own);
        }
        Statement global = all == null ? null : all.child("global");
        if (global != null) {
            books.add(global);
        }
        return books;
    }

    private void add(Statement name, List<Statement> books, Found found) {
        for (Statement book : books) {
            if (book.at("address", name.word) != null
                    || book.at("address-set", name.word) != null) {
                add(name, book, found, new HashSet<>(), 0);
                return;
            }
        }
        found.others.add(lacking(name));
    }

    private Condition lacking(Statement name) {
        return config.unknown(
                name.line,
                "the address %s is not in the file; add security address-book and zones"
                        .formatted(name.word));
    }

    private void add(Statement name, Statement book, Found found, Set<String> added, int depth) {
        if (!added.add(name.word)) {
            return;
        }
        Statement address = book.at("address", name.word);
        Statement set = book.at("address-set", name.word);
        if (address != null) {
            address.children().forEach(value -> addValue(value, found));
        } else if (set == null) {
            found.others.add(lacking(name));
        } else if (depth > MOST_NESTED) {
            found.others.add(
                    config.skipped(
                            name.refused("is a set within more than 32 others; nest fewer")));
        } else {
            for (String kind : List.of("address", "address-set")) {
                for (Statement member : set.children(kind)) {
                    add(member, book, found, added, depth + 1);
                }
            }
        }
    }

    private void addValue(Statement value, Found found) {
        try {
            switch (value.word) {
                case "description" -> {}
                case "dns-name" ->
                        found.others.add(
                                config.unknown(
                                        value.line,
                                        value.text() + ": the device asks for its addresses"));
                case "wildcard-address", "ip-prefix" -> {
                    for (Statement each : value.children()) {
                        addBlock(Prefixes.Block.of(each), found);
                    }
                }
                case "range-address" -> {
                    for (Statement low : value.children()) {
                        addRange(low, found);
                    }
                }
                default -> addBlock(Prefixes.Block.of(value), found);
            }
        } catch (JunosException e) {
            found.others.add(config.skipped(e));
        }
    }

    private static void addBlock(Prefixes.Block block, Found found) {
        if (block.length() < 0) {
            found.masked.add(block);
        } else {
            (block.v6() ? found.v6 : found.v4).add(block.range());
        }
    }

    private static void addRange(Statement low, Found found) throws JunosException {
        Statement to = low.child("to");
        Statement high = to == null ? null : to.value();
        if (high == null) {
            throw low.refused("lacks the end of its range; write it behind to");
        }
        Prefixes.Block first = Prefixes.Block.of(low);
        Prefixes.Block last = Prefixes.Block.of(high);
        if (first.v6() != last.v6() || first.value().compareTo(last.value()) > 0) {
            throw low.refused("is a range whose end lies before its begin; swap them");
        }
        (first.v6() ? found.v6 : found.v4).add(new ValueSet.Range(first.value(), last.value()));
    }
}
