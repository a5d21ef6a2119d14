package dev.sluice.policy.nft;

import java.util.List;
import java.util.Set;

/** Check of the elements of a table's sets, which nft takes or refuses whether rules ask or not. */
final class SetCheck {
    private SetCheck() {}

    static void check(Table table) throws RefusedException {
        Lookups lookups = new Lookups(table, new Loads(table.family(), Set.of()));
        for (NamedSet set : table.sets().values()) {
            List<DataType> types = lookups.types(set);
            Node data = set.declaration().get("map");
            for (Node type : data == null ? List.<Node>of() : data.list()) {
                if (DataType.named(type.text()) == null) {
                    throw type.refused("is no type that Sluice knows; write one as in mark");
                }
            }
            for (Node element : set.elements()) {
                if (set.isMap() != (element.isList() && element.list().size() == 2)) {
                    throw element.refused(
                            set.isMap()
                                    ? "has no value behind a colon; write it"
                                    : "is an element of a map; write a value alone");
                }
                Node key = set.isMap() ? element.list().get(0) : element;
                if (data != null && data.isText()) {
                    DataType type = DataType.named(data.text());
                    if (type != null && type != DataType.UNSEEN && type != DataType.VERDICT) {
                        Values.of(element.list().get(1), type);
                    }
                }
                if (types != null && !Values.plain(key).is("*")) {
                    parts(set, types, key);
                }
            }
            boolean merges = set.declaration().get("auto-merge") != null;
            if (types != null && set.refusesOverlaps() && !(merges && types.size() == 1)) {
                Conflicts.check(types, set.elements());
            }
        }
    }

    private static void parts(NamedSet set, List<DataType> types, Node key)
            throws RefusedException {
        List<Node> parts = Values.parts(key);
        if (parts.size() != types.size()) {
            throw key.refused(
                    "has %d parts, where the set has %d; write as many"
                            .formatted(parts.size(), types.size()));
        }
        for (int i = 0; i < parts.size(); i++) {
            Node part = parts.get(i);
            boolean range = part.key().equals("range") || part.key().equals("prefix");
            if (range && !set.hasRanges()) {
                throw part.refused("is a range in a set of single values; write flags interval");
            }
            DataType type = types.get(i);
            if (type == DataType.NAME || type == DataType.INDEX) {
                Lookups.name(new Loading.OfInterface(type, true), part);
            } else if (type != DataType.UNSEEN && type != DataType.VERDICT) {
                Values.of(part, type);
            }
        }
    }
}
