package dev.sluice.policy.nft;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reader of expressions: what a statement loads, and the values that it compares with. */
final class ExpressionReader {
    /** Headers whose fields are named behind them. */
    static final Set<String> HEADERS =
            Set.of(
                    "ip", "ip6", "tcp", "udp", "udplite", "sctp", "dccp", "th", "icmp", "icmpv6",
                    "igmp", "esp", "ah", "comp", "ether", "vlan", "arp");

    private static final Set<String> EXTENSIONS =
            Set.of("hbh", "rt", "rt0", "rt2", "frag", "dst", "mh", "srh");

    /** Keys of meta that need no word before them. */
    private static final Set<String> META =
            Set.of(
                    "mark",
                    "iif",
                    "iifname",
                    "iiftype",
                    "oif",
                    "oifname",
                    "oiftype",
                    "skuid",
                    "skgid",
                    "nftrace",
                    "rtclassid",
                    "ibriport",
                    "ibrname",
                    "obriport",
                    "obrname",
                    "pkttype",
                    "cpu",
                    "iifgroup",
                    "oifgroup",
                    "cgroup",
                    "time",
                    "day",
                    "hour");

    /** Operators from the loosest on; words and signs mean the same. */
    private static final List<Map<String, String>> OPERATORS =
            List.of(
                    Map.of("|", "|", "or", "|"),
                    Map.of("^", "^", "xor", "^"),
                    Map.of("&", "&", "and", "&"),
                    Map.of("<<", "<<", ">>", ">>", "lshift", "<<", "rshift", ">>"));

    private static final String TCP_OPTIONS =
            "eol|nop|noop|maxseg|mss|window|sack|sack[0-3]|sack-perm(itted)?|timestamp|fastopen|mptcp"
                    + "|md5sig|echo|[0-9]{1,3}";

    private static final int MOST_NESTED = 64;

    private final Cursor in;
    private final AmountReader amounts;
    private int nested;

    ExpressionReader(Cursor in) {
        this.in = in;
        this.amounts = new AmountReader(in);
    }

    /** Returns whether the next word loads something of a packet. */
    boolean atSelector() {
        Token token = in.peek();
        String text = token.text();
        return token.is("(")
                || token.is("@") && in.peek(1).isWord() && in.peek(2).is(",")
                || token.isWord()
                        && (HEADERS.contains(text)
                                || EXTENSIONS.contains(text)
                                || META.contains(text)
                                || Set.of(
                                                "meta", "ct", "exthdr", "fib", "socket", "osf",
                                                "ipsec", "numgen", "jhash", "symhash")
                                        .contains(text));
    }

    /** An expression that loads fields, parted by dots. */
    Node left() throws RefusedException {
        List<Node> parts = new ArrayList<>();
        do {
            parts.add(operation(0, true));
        } while (in.take("."));
        return parts.size() == 1 ? parts.get(0) : Node.of(parts.get(0).at(), "concat", parts);
    }

    private Node operation(int level, boolean loads) throws RefusedException {
        if (level == OPERATORS.size()) {
            return loads ? selector() : primary();
        }
        Node left = operation(level + 1, loads);
        String sign = operator(level);
        while (sign != null) {
            Token token = in.next();
            boolean loaded = loads && atSelector() && !in.sees("(");
            Node right = operation(level + 1, loaded);
            left = Node.of(token.at(), sign, List.of(left, right));
            sign = operator(level);
        }
        return left;
    }

    private @Nullable String operator(int level) {
        Token token = in.peek();
        return token.kind() == Token.Kind.QUOTED ? null : OPERATORS.get(level).get(token.text());
    }

    private Node selector() throws RefusedException {
        Token first = in.next();
        if (first.is("(")) {
            enter(first);
            Node inner = operation(0, atSelector());
            in.need(")");
            nested--;
            return inner;
        }
        String word = first.text();
        if (first.is("@")) {
            return raw(first);
        }
        if (!first.isWord()) {
            throw first.refused("begins no expression; write a header field, as in tcp dport");
        }
        if (word.equals("rt")
                && Set.of("classid", "nexthop", "mtu", "ipsec", "ip", "ip6")
                        .contains(in.peek().text())) {
            String family = in.sees("ip") || in.sees("ip6") ? in.next().text() : "";
            Token key = in.word("a key of rt");
            return Node.of(
                    first.at(), "rt", Node.object(first.at(), "key", key.node(), "family", family));
        }
        if (EXTENSIONS.contains(word)) {
            Token field = in.word("a field of " + word);
            return Node.of(
                    first.at(),
                    "exthdr",
                    Node.object(first.at(), "name", word, "field", field.node()));
        }
        if (META.contains(word)) {
            return meta(first, first);
        }
        return switch (word) {
            case "meta" -> meta(first, in.word("a key of meta"));
            case "ct" -> connection(first);
            case "exthdr" ->
                    Node.of(
                            first.at(),
                            "exthdr",
                            Node.object(first.at(), "name", in.word("an extension header").node()));
            case "fib" -> fib(first);
            case "numgen", "jhash", "symhash", "socket", "osf", "ipsec" -> other(first);
            default -> {
                if (!HEADERS.contains(word)) {
                    throw first.refused(
                            "begins no statement that Sluice reads; write it as nft list ruleset"
                                    + " prints it, or add --skip-unsupported: packets that it may decide about"
                                    + " then depend");
                }
                yield header(first);
            }
        };
    }

    private static Node meta(Token first, Token key) {
        return Node.of(first.at(), "meta", Node.object(first.at(), "key", key.node()));
    }

    private Node header(Token first) throws RefusedException {
        String protocol = first.text();
        Token field = in.word("a field of " + protocol);
        if (field.is("option") && (protocol.equals("tcp") || protocol.equals("ip"))) {
            Token name = in.next();
            if (name.is("@")) {
                return raw(name);
            }
            if (protocol.equals("tcp") && !name.text().matches(TCP_OPTIONS) || !name.isWord()) {
                throw name.refused("is no option that Sluice reads; write one as in maxseg");
            }
            Node value = Node.object(first.at(), "name", name.node());
            if (in.peek().isWord() && !in.sees("exists") && !in.sees("missing")) {
                value = Node.object(first.at(), "name", name.node(), "field", in.next().node());
            }
            return Node.of(first.at(), protocol + " option", value);
        }
        if (field.is("chunk") && protocol.equals("sctp")) {
            Token name = in.word("a chunk");
            Node value = Node.object(first.at(), "name", name.node());
            if (in.peek().isWord() && !in.sees("exists") && !in.sees("missing")) {
                value = Node.object(first.at(), "name", name.node(), "field", in.next().node());
            }
            return Node.of(first.at(), "sctp chunk", value);
        }
        String name = field.text();
        if (protocol.equals("arp") && (field.is("saddr") || field.is("daddr"))) {
            name += " " + in.word("ip or ether").text();
        }
        return Node.of(
                first.at(),
                "payload",
                Node.object(first.at(), "protocol", protocol, "field", new Node(field.at(), name)));
    }

    private Node raw(Token first) throws RefusedException {
        Node base = in.word("a base").node();
        in.need(",");
        Node offset = in.word("an offset").node();
        in.need(",");
        Node length = in.word("a length").node();
        return Node.of(
                first.at(),
                "payload",
                Node.object(first.at(), "base", base, "offset", offset, "len", length));
    }

    private Node connection(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        Token key = in.word("a key of ct");
        if (key.is("original") || key.is("reply")) {
            value.put("dir", key.node());
            key = in.word("a key of ct");
        }
        String name = key.text();
        if (key.is("ip") || key.is("ip6")) {
            name += " " + in.word("saddr or daddr").text();
        }
        value.put("key", new Node(key.at(), name));
        return Node.of(first.at(), "ct", new Node(first.at(), value));
    }

    private Node fib(Token first) throws RefusedException {
        List<Node> flags = new ArrayList<>();
        do {
            flags.add(in.word("a flag of fib").node());
        } while (in.take("."));
        Token result = in.word("a result of fib");
        return Node.of(
                first.at(),
                "fib",
                Node.object(first.at(), "result", result.node(), "flags", flags));
    }

    /** Expressions whose value no header tells; their words are kept. */
    private Node other(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        switch (first.text()) {
            case "jhash" -> {
                enter(first);
                value.put("expr", left());
                nested--;
            }
            case "symhash" -> {}
            case "osf" -> {
                if (in.take("ttl")) {
                    value.put("ttl", in.word("a mode").node());
                }
                value.put("key", in.word("a key").node());
            }
            case "ipsec" -> {
                value.put("dir", in.word("in or out").node());
                if (!in.last().text().matches("in|out")) {
                    throw in.last().refused("is no direction; write in or out");
                }
                if (in.take("spnum")) {
                    value.put("spnum", in.word("a number").node());
                }
                String key = in.word("a key").text();
                boolean address = key.equals("ip") || key.equals("ip6");
                value.put(
                        "key",
                        new Node(first.at(), address ? key + " " + in.word("a key").text() : key));
            }
            default -> value.put("key", in.word("a key of " + first.text()).node());
        }
        if (first.is("socket") && in.take("level")) {
            value.put("level", in.word("a level").node());
        }
        for (String option : List.of("mod", "seed", "offset")) {
            boolean hash = !first.is("socket") && !first.is("osf") && !first.is("ipsec");
            if (hash && in.take(option)) {
                Node number = in.word("a number").node();
                number.number(Integer.SIZE);
                value.put(option, number);
            }
        }
        return Node.of(first.at(), first.text(), new Node(first.at(), value));
    }

    /** Values on the right of an operator. */
    Node right() throws RefusedException {
        if (in.sees("{")) {
            return set();
        }
        if (in.sees("@")) {
            return reference();
        }
        Node first = concatenated();
        List<Node> all = List.of(first);
        while (in.take(",")) {
            in.skipLineEnds();
            all = Node.plus(all, concatenated());
        }
        return all.size() == 1 ? first : new Node(first.at(), all);
    }

    Node reference() throws RefusedException {
        Token sign = in.need("@");
        return new Node(sign.at(), "@" + in.word("the name of a set").text());
    }

    /** Values parted by dots. */
    Node concatenated() throws RefusedException {
        List<Node> parts = new ArrayList<>();
        do {
            parts.add(ranged());
        } while (in.take("."));
        return parts.size() == 1 ? parts.get(0) : Node.of(parts.get(0).at(), "concat", parts);
    }

    /** A value or a range. */
    Node ranged() throws RefusedException {
        Node low = operation(0, false);
        return in.take("-") ? Node.of(low.at(), "range", List.of(low, operation(0, false))) : low;
    }

    private Node primary() throws RefusedException {
        Token token = in.peek();
        if (token.is("$")) {
            return prefixed(in.variable());
        }
        if (token.is("(")) {
            enter(in.next());
            Node inner = right();
            in.need(")");
            nested--;
            return inner;
        }
        if (token.is("*")) {
            return in.next().node();
        }
        if (!token.isValue() || token.isWord() && Keywords.isNoValue(token.text())) {
            throw token.refused("is no value; write an address, a number, a name or a set");
        }
        return prefixed(in.next().node());
    }

    private Node prefixed(Node value) throws RefusedException {
        boolean number = in.peek(1).text().matches("[0-9]{1,9}");
        if (!in.sees("/") || !number || !value.isText()) {
            return value;
        }
        in.next();
        Node length = in.next().node();
        return Node.of(value.at(), "prefix", Node.object(value.at(), "addr", value, "len", length));
    }

    private void enter(Token at) throws RefusedException {
        if (++nested > MOST_NESTED) {
            throw at.refused(
                    "opens more than %d brackets or hashes in one another; write fewer"
                            .formatted(MOST_NESTED));
        }
    }

    /** {@code { element, ... }}, with values behind colons in maps. */
    Node set() throws RefusedException {
        Token open = in.need("{");
        enter(open);
        List<Node> elements = new ArrayList<>();
        in.skipLineEnds();
        while (!in.take("}")) {
            elements.add(element());
            in.skipLineEnds();
            if (!in.take(",")) {
                in.skipLineEnds();
                in.need("}");
                break;
            }
            do {
                in.skipLineEnds();
            } while (in.take(","));
        }
        nested--;
        if (elements.isEmpty()) {
            throw open.refused("opens a set without elements; write one");
        }
        return Node.of(open.at(), "set", elements);
    }

    private Node element() throws RefusedException {
        Node key = in.sees("{") ? set() : concatenated();
        Node described = described(key);
        if (!in.take(":")) {
            return described;
        }
        in.skipLineEnds();
        if (in.sees("*")) {
            throw in.peek().refused("is no value of a map; write one");
        }
        Node value = isVerdict() ? verdict() : concatenated();
        return new Node(key.at(), List.of(described, value));
    }

    /** A key with its timeout, counter and comment. */
    private Node described(Node key) throws RefusedException {
        Map<String, Node> options = new LinkedHashMap<>();
        options.put("val", key);
        while (true) {
            Token option = in.peek();
            if (in.take("timeout") || in.take("expires")) {
                options.put(option.text(), amounts.time());
            } else if (in.take("counter")) {
                options.put("counter", amounts.counter(option));
            } else if (in.take("comment")) {
                options.put("comment", in.comment());
            } else {
                return options.size() == 1
                        ? key
                        : Node.of(key.at(), "elem", new Node(key.at(), options));
            }
        }
    }

    boolean isVerdict() {
        return in.peek().isWord()
                && Set.of("accept", "drop", "continue", "return", "jump", "goto", "queue")
                        .contains(in.peek().text());
    }

    Node verdict() throws RefusedException {
        Token word = in.word("a verdict");
        if (word.is("jump") || word.is("goto")) {
            Node target = in.value("a chain");
            return Node.of(word.at(), word.text(), Node.object(word.at(), "target", target));
        }
        return Node.of(word.at(), word.text(), null);
    }
}
