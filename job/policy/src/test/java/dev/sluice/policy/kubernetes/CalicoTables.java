package dev.sluice.policy.kubernetes;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/** Selectors in Calico's language, with what each means. */
final class CalicoTables {
    /** Selectors of labels, with what each means. */
    static final Map<String, Predicate<Map<String, Object>>> SELECTORS = new HashMap<>();

    /** Selectors of namespaces. */
    static final Map<String, Predicate<Map<String, Object>>> NAMESPACES = new HashMap<>();

    static {
        SELECTORS.put("all()", l -> true);
        SELECTORS.put("app == '0'", l -> "0".equals(l.get("app")));
        SELECTORS.put("app != \\\"1\\\"", l -> !"1".equals(l.get("app")));
        SELECTORS.put(
                "has(tier) && !has(app)", l -> l.containsKey("tier") && !l.containsKey("app"));
        SELECTORS.put(
                "app in {'0', '2'} || tier not in {'1'}",
                l -> "0".equals(l.get("app")) || !"1".equals(l.get("tier")));
        SELECTORS.put(
                "!(app == '0' || tier == '0')",
                l -> !"0".equals(l.get("app")) && !"0".equals(l.get("tier")));
        SELECTORS.put("role starts with 'out'", l -> "outside".equals(l.get("role")));
        SELECTORS.put("role ends with 'side' && role contains 'ts'", l -> l.containsKey("role"));
        NAMESPACES.put("team == '0'", l -> "0".equals(l.get("team")));
        NAMESPACES.put("has(projectcalico.org/name)", l -> l.containsKey("name"));
        NAMESPACES.put("projectcalico.org/name == 'ns1'", l -> "ns1".equals(l.get("name")));
        NAMESPACES.put("all()", l -> l.containsKey("name"));
        NAMESPACES.put("global()", l -> !l.containsKey("name"));
    }

    private CalicoTables() {}
}
