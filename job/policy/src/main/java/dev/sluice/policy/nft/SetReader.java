package dev.sluice.policy.nft;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reader of the block of a set or map. */
final class SetReader {
    private final Cursor in;
    private final ExpressionReader expressions;
    private final AmountReader amounts;
    private final Map<String, Node> value;
    private final boolean map;

    SetReader(Cursor in, ExpressionReader expressions, Map<String, Node> value, String kind) {
        this.in = in;
        this.expressions = expressions;
        this.amounts = new AmountReader(in);
        this.value = value;
        this.map = kind.equals("map");
    }

    void read() throws RefusedException {
        in.skipEnds();
        while (!in.sees("}") && !in.atEnd()) {
            Token key = in.next();
            property(key);
            if (!in.sees("}") || !key.is("elements") && !key.is("counter")) {
                in.endStatement();
            }
        }
    }

    private void property(Token key) throws RefusedException {
        if (value.containsKey(key.text())) {
            throw key.refused("stands a second time; keep one");
        }
        switch (key.text()) {
            case "type" -> {
                value.put("type", types());
                data();
            }
            case "typeof" -> {
                value.put("typeof", expressions.left());
                data();
            }
            case "flags" -> value.put("flags", words(key));
            case "timeout", "gc-interval" -> value.put(key.text(), amounts.time());
            case "size" -> {
                Node size = in.value("a number");
                size.number(31);
                value.put("size", size);
            }
            case "policy" -> {
                if (!in.take("performance")) {
                    in.need("memory");
                }
            }
            case "auto-merge" -> value.put("auto-merge", new Node(key.at(), "true"));
            case "comment" -> value.put("comment", in.comment());
            case "counter" -> value.put("stmt", amounts.counter(key));
            case "elements" -> {
                in.need("=");
                in.skipLineEnds();
                Node elements = in.sees("$") ? in.variable() : expressions.set();
                value.put("elem", elements.key().equals("set") ? elements.inner() : elements);
            }
            default -> throw key.refused("is no property of a set that Sluice reads; remove it");
        }
    }

    private void data() throws RefusedException {
        if (!map) {
            return;
        }
        in.need(":");
        if (in.take("interval")) {
            throw in.last()
                    .refused(
                            "is a kind of maps that Sluice does not read; write a map of"
                                    + " values");
        }
        value.put(
                value.containsKey("typeof") && expressions.atSelector() ? "mapof" : "map",
                value.containsKey("typeof") && expressions.atSelector()
                        ? expressions.left()
                        : types());
    }

    private Node types() throws RefusedException {
        List<Node> types = new ArrayList<>();
        Token first = in.peek();
        do {
            Token type = in.word("a type");
            if (type.is("integer") || type.is("string")) {
                throw type.refused("is a type of no size; write typeof and an expression");
            }
            types.add(type.node());
        } while (in.take("."));
        return types.size() == 1 ? types.get(0) : new Node(first.at(), types);
    }

    private Node words(Token at) throws RefusedException {
        List<Node> all = new ArrayList<>();
        do {
            Token flag = in.word("a flag");
            if (!flag.text().matches("constant|interval|timeout|dynamic")) {
                throw flag.refused(
                        "is no flag of a set; write constant, interval, timeout or dynamic");
            }
            all.add(flag.node());
        } while (in.take(","));
        return new Node(at.at(), all);
    }
}
