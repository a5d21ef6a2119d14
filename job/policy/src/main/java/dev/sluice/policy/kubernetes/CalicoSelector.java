package dev.sluice.policy.kubernetes;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Selector of Calico.
 *
 * <pre>
 * either = both { "||" both } ;
 * both   = one { "&amp;&amp;" one } ;
 * one    = "!" one | "(" either ")" | "all()" | "global()" | "has(" label ")"
 *        | label ( "==" | "!=" | "contains" | "starts with" | "ends with" ) string
 *        | label [ "not" ] "in" "{" [ string { "," string } ] "}" ;
 * </pre>
 */
final class CalicoSelector {
    /** Label that pods and sets have in a namespace. */
    static final String NAMESPACE = "projectcalico.org/namespace";

    private static final Pattern TOKEN =
            Pattern.compile(
                    "\\s*(&&|\\|\\||==|!=|[!(){},]|'[^']*'|\"[^\"]*\"|[a-zA-Z0-9_./-]+)|\\s*(\\S)|\\s+$");

    private static final int MOST_DEPTH = 100;

    private final YamlNode node;
    private final String text;
    private final Matcher tokens;
    private String token = "";
    private int start;
    private int at;
    private int depth;

    private CalicoSelector(YamlNode node, String text) {
        this.node = node;
        this.text = text;
        tokens = TOKEN.matcher(text);
    }

    /** Reads a selector: a predicate on labels. */
    static Predicate<Map<String, String>> of(YamlNode node) throws YamlException {
        CalicoSelector parsing = new CalicoSelector(node, node.string());
        parsing.next();
        if (parsing.token.isEmpty()) {
            return labels -> true;
        }
        Predicate<Map<String, String>> whole = parsing.either();
        if (!parsing.token.isEmpty()) {
            throw parsing.refused("stands behind the end of the selector; join with && or ||");
        }
        return whole;
    }

    private void next() throws YamlException {
        token = "";
        start = at;
        if (at < text.length() && tokens.find(at)) {
            at = tokens.end();
            start = Math.max(tokens.start(1), tokens.start(2));
            if (tokens.group(2) != null) {
                token = tokens.group(2);
                throw refused("is no word of Calico's selectors; check it");
            }
            token = tokens.group(1) == null ? "" : tokens.group(1);
        }
    }

    private YamlException refused(String problem) {
        int quote = node instanceof YamlNode.Scalar scalar && scalar.plain() ? 0 : 1;
        int column = node.at().column() + quote + Math.max(0, start);
        return node.at()
                .refused(new RuleSyntaxException(column, token.isEmpty() ? text : token, problem));
    }

    private boolean take(String wanted) throws YamlException {
        if (!token.equals(wanted)) {
            return false;
        }
        next();
        return true;
    }

    private void require(String wanted) throws YamlException {
        if (!take(wanted)) {
            throw refused("stands where Calico's selectors have " + wanted + "; add it");
        }
    }

    private Predicate<Map<String, String>> either() throws YamlException {
        if (++depth > MOST_DEPTH) {
            throw refused("is nested deeper than %d levels".formatted(MOST_DEPTH));
        }
        Predicate<Map<String, String>> all = both();
        while (take("||")) {
            all = all.or(both());
        }
        depth--;
        return all;
    }

    private Predicate<Map<String, String>> both() throws YamlException {
        Predicate<Map<String, String>> all = one();
        while (take("&&")) {
            all = all.and(one());
        }
        return all;
    }

    private Predicate<Map<String, String>> one() throws YamlException {
        boolean negated = false;
        while (take("!")) {
            negated = !negated;
        }
        Predicate<Map<String, String>> one;
        if (take("(")) {
            one = either();
            require(")");
        } else {
            one = labelled();
        }
        return negated ? one.negate() : one;
    }

    private Predicate<Map<String, String>> labelled() throws YamlException {
        if (!token.matches("[a-zA-Z0-9_./-]+")) {
            throw refused("stands where a label is wanted; write a label, has(label) or all()");
        }
        String label = label();
        switch (label) {
            case "has" -> {
                require("(");
                String asked = label();
                require(")");
                return labels -> labels.containsKey(asked);
            }
            case "all", "global" -> {
                require("(");
                require(")");
                return label.equals("all")
                        ? labels -> true
                        : labels -> !labels.containsKey(NAMESPACE);
            }
            default -> {
                // An operator follows.
            }
        }
        String operator = token;
        int operatorStart = start;
        next();
        switch (operator) {
            case "==" -> {
                String value = value();
                return labels -> value.equals(labels.get(label));
            }
            case "!=" -> {
                String value = value();
                return labels -> !value.equals(labels.get(label));
            }
            case "contains" -> {
                String value = value();
                return labels ->
                        labels.getOrDefault(label, "").contains(value) && labels.containsKey(label);
            }
            case "starts", "ends" -> {
                require("with");
                String value = value();
                return operator.equals("starts")
                        ? labels -> labels.containsKey(label) && labels.get(label).startsWith(value)
                        : labels -> labels.containsKey(label) && labels.get(label).endsWith(value);
            }
            case "in" -> {
                Set<String> values = values();
                return labels -> labels.containsKey(label) && values.contains(labels.get(label));
            }
            case "not" -> {
                require("in");
                Set<String> values = values();
                return labels -> !labels.containsKey(label) || !values.contains(labels.get(label));
            }
            default -> {
                token = operator.isEmpty() ? label : operator;
                start = operatorStart;
                throw refused(
                        "is no operator; write ==, !=, in, not in, contains, starts with or ends with");
            }
        }
    }

    private String label() throws YamlException {
        if (token.startsWith("pcns.") || token.startsWith("pcsa.")) {
            throw refused(
                    "is a label by which Calico itself names namespaces and accounts; write namespaceSelector or serviceAccounts");
        }
        String label = token;
        next();
        return label;
    }

    private String value() throws YamlException {
        if (!token.startsWith("'") && !token.startsWith("\"")) {
            throw refused("stands where a text is wanted; write it in quotes");
        }
        String value = token.substring(1, token.length() - 1);
        next();
        return value;
    }

    private Set<String> values() throws YamlException {
        Set<String> values = new HashSet<>();
        require("{");
        while (!take("}")) {
            values.add(value());
            if (!token.equals("}")) {
                require(",");
            }
        }
        return values;
    }
}
