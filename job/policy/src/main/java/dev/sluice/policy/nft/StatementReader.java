package dev.sluice.policy.nft;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reader of the statements of rules. */
final class StatementReader {
    private static final Map<String, String> COMPARISONS =
            Map.ofEntries(
                    Map.entry("==", "=="),
                    Map.entry("eq", "=="),
                    Map.entry("!=", "!="),
                    Map.entry("ne", "!="),
                    Map.entry("<", "<"),
                    Map.entry("lt", "<"),
                    Map.entry(">", ">"),
                    Map.entry("gt", ">"),
                    Map.entry("<=", "<="),
                    Map.entry("le", "<="),
                    Map.entry(">=", ">="),
                    Map.entry("ge", ">="),
                    Map.entry("!", "!"));

    private static final Set<String> NAT_FLAGS = Set.of("random", "fully-random", "persistent");

    private final Cursor in;
    private final ExpressionReader expressions;
    private final AmountReader amounts;

    StatementReader(Cursor in) {
        this.in = in;
        this.expressions = new ExpressionReader(in);
        this.amounts = new AmountReader(in);
    }

    /** Reads statements to the rule's end, and adds each as soon as it is read. */
    void readAll(List<Node> to) throws RefusedException {
        while (!in.atStatementEnd() && !in.sees("comment")) {
            to.add(read());
        }
    }

    private Node read() throws RefusedException {
        Token first = in.peek();
        if (expressions.isVerdict() && !first.is("queue")) {
            return expressions.verdict();
        }
        if (!first.isWord() || expressions.atSelector() && !isConnectionObject()) {
            return matching();
        }
        in.next();
        return switch (first.text()) {
            case "counter" -> named(first, true, () -> amounts.counter(first));
            case "limit" -> named(first, false, () -> amounts.limit(first));
            case "quota" -> named(first, false, () -> amounts.quota(first));
            case "synproxy" -> named(first, false, () -> synproxy(first));
            case "log" -> Node.of(first.at(), "log", amounts.log(first));
            case "reject" -> Node.of(first.at(), "reject", reject(first));
            case "queue" -> Node.of(first.at(), "queue", words(first));
            case "notrack" -> Node.of(first.at(), "notrack", null);
            case "masquerade", "redirect", "snat", "dnat", "tproxy" ->
                    Node.of(first.at(), first.text(), translation(first));
            case "dup", "fwd" -> Node.of(first.at(), first.text(), copy(first));
            case "flow" -> flow(first);
            case "reset" -> Node.of(first.at(), "reset", expressions.left());
            case "add", "update", "delete" -> update(first);
            case "meter" -> meter(first);
            case "last" -> Node.of(first.at(), "last", words(first));
            case "ct" -> connectionObject(first);
            case "xt" -> {
                Token type = in.word("match or target");
                Node name = in.value("a name");
                yield Node.of(
                        first.at(),
                        "xt",
                        Node.object(first.at(), "type", type.node(), "name", name));
            }
            default ->
                    throw first.refused(
                            "begins no statement that Sluice reads; write it as nft list ruleset"
                                    + " prints it, or add --skip-unsupported: packets that it may decide about"
                                    + " then depend");
        };
    }

    private interface Inner {
        Node read() throws RefusedException;
    }

    /** A statement, or a reference to an object of its kind. */
    private Node named(Token first, boolean bare, Inner inner) throws RefusedException {
        if (!in.take("name")) {
            Node value = inner.read();
            return Node.of(first.at(), first.text(), value);
        }
        Node name =
                expressions.atSelector()
                        ? mapped(expressions.left())
                        : in.value("the name of a " + first.text());
        return Node.of(first.at(), bare ? "counter" : first.text(), name);
    }

    private Node matching() throws RefusedException {
        Node left = expressions.left();
        Token sign = in.peek();
        if (in.take("vmap")) {
            Node data =
                    in.sees("@")
                            ? expressions.reference()
                            : in.sees("$") ? in.variable() : expressions.set();
            return Node.of(left.at(), "vmap", Node.object(left.at(), "key", left, "data", data));
        }
        if (in.take("set")) {
            return Node.of(
                    left.at(), "mangle", Node.object(left.at(), "key", left, "value", value()));
        }
        String operator = sign.kind() == Token.Kind.QUOTED ? null : COMPARISONS.get(sign.text());
        if (operator != null) {
            in.next();
        }
        if (in.atStatementEnd()) {
            throw in.peek().refused("stands where nft wants the value of a match; write it there");
        }
        Node right = expressions.right();
        if (in.take("/")) {
            Node mask = expressions.right();
            left = Node.of(left.at(), "&", List.of(left, mask));
            operator = operator == null ? "==" : operator;
        }
        return Node.of(
                left.at(),
                "match",
                Node.object(
                        left.at(),
                        "op",
                        operator == null ? "" : operator,
                        "left",
                        left,
                        "right",
                        right));
    }

    /** Values that something is set to, or an expression, or a map of one. */
    private Node value() throws RefusedException {
        if (expressions.atSelector() && !in.sees("(")) {
            return mapped(expressions.left());
        }
        if (in.sees("{") || in.sees("@")) {
            throw in.peek().refused("stands where nft wants one value; write it there");
        }
        return expressions.right();
    }

    private Node mapped(Node key) throws RefusedException {
        if (!in.take("map")) {
            return key;
        }
        Node data = in.sees("@") ? expressions.reference() : expressions.set();
        return Node.of(key.at(), "map", Node.object(key.at(), "key", key, "data", data));
    }

    private boolean isConnectionObject() {
        boolean object = Set.of("helper", "timeout", "expectation").contains(in.peek(1).text());
        return in.sees("ct") && (object && in.peek(2).is("set") || in.peek(1).is("count"));
    }

    private Node connectionObject(Token first) throws RefusedException {
        Token key = in.word("a key of ct");
        if (!key.is("count")) {
            in.need("set");
            return Node.of(first.at(), "ct " + key.text(), value());
        }
        Map<String, Node> count = new LinkedHashMap<>();
        if (in.take("over")) {
            count.put("inv", new Node(key.at(), "true"));
        }
        Node number = in.word("a number").node();
        number.number(Integer.SIZE);
        count.put("val", number);
        return Node.of(first.at(), "ct count", new Node(first.at(), count));
    }

    private Node reject(Token first) throws RefusedException {
        if (!in.take("with")) {
            return new Node(first.at(), null);
        }
        Token type = in.word("icmp, icmpv6, icmpx or tcp reset");
        if (type.is("tcp")) {
            in.need("reset");
            return Node.object(first.at(), "type", "tcp reset");
        }
        in.take("type");
        Node code = in.word("a code").node();
        return Node.object(first.at(), "type", type.node(), "expr", code);
    }

    private Node translation(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        family(value);
        if (List.of("addr", "interval", "prefix").contains(in.peek().text())) {
            in.next();
            in.take(".");
            in.take("port");
        }
        boolean to = in.take("to");
        if (first.is("redirect") && to && !in.sees(":")) { // a port alone
            value.put("port", address());
        } else if (first.is("masquerade") && to && !in.sees(":")) {
            throw in.peek().refused("stands where nft wants a colon and a port; write it there");
        }
        if (in.take("[")) {
            value.put("addr", expressions.ranged());
            in.need("]");
            if (in.take("-")) {
                in.need("[");
                value.put("last", expressions.ranged());
                in.need("]");
            }
        } else if (!in.sees(":")
                && !in.sees("comment")
                && !in.atStatementEnd()
                && !NAT_FLAGS.contains(in.peek().text())) {
            value.put("addr", address());
        }
        if (in.take(":")) {
            value.put("port", address());
        }
        while (NAT_FLAGS.contains(in.peek().text())) {
            value.put("flags", in.next().node());
            in.take(",");
        }
        return value.isEmpty() ? new Node(first.at(), null) : new Node(first.at(), value);
    }

    /** Returns whether a header's name has a field behind it. */
    private void family(Map<String, Node> value) {
        if ((in.sees("ip") || in.sees("ip6")) && !isField()) {
            value.put("family", in.next().node());
        }
    }

    private boolean isField() {
        return in.peek(1).isWord()
                && Set.of("saddr", "daddr", "dscp", "protocol", "nexthdr")
                        .contains(in.peek(1).text());
    }

    private Node address() throws RefusedException {
        return expressions.atSelector() ? mapped(expressions.left()) : expressions.ranged();
    }

    private Node copy(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        family(value);
        in.need("to");
        value.put(first.is("fwd") && value.isEmpty() ? "dev" : "addr", address());
        if (in.take("device")) {
            value.put("dev", address());
        }
        return new Node(first.at(), value);
    }

    private Node flow(Token first) throws RefusedException {
        if (!in.take("add")) {
            in.need("offload");
        }
        return Node.of(
                first.at(),
                "flow",
                Node.object(first.at(), "op", "add", "flowtable", expressions.reference()));
    }

    private Node update(Token first) throws RefusedException {
        Node set = expressions.reference();
        in.need("{");
        Node key = expressions.left();
        Map<String, Node> element = new LinkedHashMap<>();
        element.put("val", key);
        List<Node> statements = new ArrayList<>();
        @Nullable Node data = null;
        while (!in.sees("}")) {
            if (statements.isEmpty() && in.take("timeout")) {
                element.put("timeout", amounts.time());
            } else if (statements.isEmpty() && in.take("comment")) {
                element.put("comment", in.comment());
            } else if (in.take(":")) {
                data = expressions.isVerdict() ? expressions.verdict() : value();
            } else {
                statements.add(read());
            }
        }
        in.need("}");
        Map<String, Node> value = new LinkedHashMap<>();
        value.put("op", first.node());
        value.put(
                "elem",
                element.size() == 1 ? key : Node.of(key.at(), "elem", new Node(key.at(), element)));
        value.put("set", set);
        if (data != null) {
            value.put("data", data);
        }
        if (!statements.isEmpty()) {
            value.put("stmt", new Node(first.at(), statements));
        }
        return Node.of(first.at(), data == null ? "set" : "map", new Node(first.at(), value));
    }

    private Node meter(Token first) throws RefusedException {
        Node name = in.word("a name").node();
        Map<String, Node> value = new LinkedHashMap<>();
        value.put("name", name);
        if (in.take("size")) {
            value.put("size", in.word("a number").node());
        }
        in.need("{");
        value.put("key", expressions.left());
        if (in.take("timeout")) {
            amounts.time();
        }
        value.put("stmt", read());
        in.need("}");
        return Node.of(first.at(), "meter", new Node(first.at(), value));
    }

    private Node synproxy(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        while (Set.of("mss", "wscale", "timestamp", "sack-perm").contains(in.peek().text())) {
            Token option = in.next();
            boolean number = option.is("mss") || option.is("wscale");
            Node of = number ? in.word("a number").node() : option.node();
            if (number) {
                of.number(option.is("mss") ? Short.SIZE : Byte.SIZE);
            }
            value.put(option.text(), of);
        }
        return new Node(first.at(), value.isEmpty() ? null : value);
    }

    /** Words whose sense bears on no outcome, to the statement's end or the next brace. */
    private Node words(Token first) throws RefusedException {
        List<Node> words = new ArrayList<>();
        Set<String> known = Set.of("num", "bypass", "fanout", "flags", "to", "used", "never");
        while (known.contains(in.peek().text())
                || !words.isEmpty()
                        && (in.sees("-") || in.sees(",") || in.peek().text().matches("[0-9].*"))) {
            words.add(in.next().node());
        }
        if (first.is("queue") && expressions.atSelector()) {
            words.add(mapped(expressions.left()));
        }
        return words.isEmpty() ? new Node(first.at(), null) : new Node(first.at(), words);
    }
}
