package dev.sluice.policy.nft;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reader of a ruleset's text: its commands, each as the tree that the JSON form has. */
final class TextReader {
    private static final Set<String> FAMILIES =
            Set.of("ip", "ip6", "inet", "arp", "bridge", "netdev");

    private final Cursor in;
    private final StatementReader statements;
    private final ExpressionReader expressions;
    private final Includes includes;
    private final Reports reports;
    private final List<Node> commands;

    /** Taker of refusals. */
    interface Reports {
        /** Takes a refusal outside rules, which nothing skips. */
        void refuse(RefusedException refused);

        /** Takes a refusal; returns whether its rule is kept as one that is not understood. */
        boolean skips(RefusedException refused);
    }

    private TextReader(Cursor in, Includes includes, Reports reports, List<Node> commands) {
        this.in = in;
        this.statements = new StatementReader(in);
        this.expressions = new ExpressionReader(in);
        this.includes = includes;
        this.reports = reports;
        this.commands = commands;
    }

    /** The commands of a text; what is wrong with them is reported. */
    static List<Node> commands(String file, String text, Reports reports) {
        List<Node> commands = new ArrayList<>();
        read(file, text, new Cursor.Scope(null), new Includes(), reports, commands, null);
        return commands;
    }

    private interface Block {
        void read(TextReader reader) throws RefusedException;
    }

    private static void read(
            String file,
            String text,
            Cursor.Scope scope,
            Includes includes,
            Reports reports,
            List<Node> commands,
            @Nullable Block block) {
        try {
            Cursor in = new Cursor(file, text, scope);
            TextReader reader = new TextReader(in, includes, reports, commands);
            if (block != null) {
                block.read(reader);
                in.skipEnds();
                if (!in.atEnd()) {
                    throw in.peek().refused("stands behind the end of a block; remove it");
                }
                return;
            }
            in.skipEnds();
            while (!in.atEnd()) {
                reader.command();
                in.skipEnds();
            }
        } catch (RefusedException e) {
            reports.refuse(e);
        }
    }

    private void add(Token at, String command, String kind, Map<String, Node> value) {
        commands.add(Node.of(at.at(), command, Node.of(at.at(), kind, new Node(at.at(), value))));
    }

    private boolean common(@Nullable Block inner) throws RefusedException {
        Token first = in.peek();
        if (first.is("include")) {
            in.next();
            Token name = in.peek();
            in.quoted("the name of a file");
            for (Includes.Included file : includes.open(name)) {
                includes.enter(name);
                read(file.name(), file.text(), in.scope(), includes, reports, commands, inner);
                includes.leave();
            }
        } else if (first.is("define") || first.is("redefine")) {
            in.next();
            Token name = in.word("the name of a variable");
            in.need("=");
            in.skipLineEnds();
            Node value = in.sees("{") && in.peek(1).is("}") ? empty() : expressions.right();
            if (first.is("redefine")) {
                in.scope().redefine(name.text(), value);
            } else if (!in.scope().define(name.text(), value)) {
                throw name.refused("is defined already; write redefine");
            }
        } else if (first.is("undefine")) {
            in.next();
            Token name = in.word("the name of a variable");
            if (!in.scope().remove(name.text())) {
                throw name.refused("is not defined; remove the line");
            }
        } else {
            return false;
        }
        in.endStatement();
        return true;
    }

    private Node empty() throws RefusedException {
        Token open = in.need("{");
        in.need("}");
        return Node.of(open.at(), "set", List.of());
    }

    private void command() throws RefusedException {
        if (common(null)) {
            return;
        }
        Token first = in.next();
        String verb =
                Set.of(
                                        "add", "create", "insert", "delete", "destroy", "flush",
                                        "replace", "list", "reset", "rename")
                                .contains(first.text())
                        ? first.text()
                        : "";
        Token kind = verb.isEmpty() ? first : in.next();
        if (verb.equals("flush") && kind.is("ruleset")) {
            Map<String, Node> value = new LinkedHashMap<>();
            if (FAMILIES.contains(in.peek().text())) {
                value.put("family", in.next().node());
            }
            add(first, "flush", "ruleset", value);
            in.endStatement();
            return;
        }
        if (Set.of("list", "reset", "rename", "replace").contains(verb)) {
            throw first.refused(
                    "is a command that Sluice does not read; load the file and judge the output of"
                            + " nft list ruleset");
        }
        Map<String, Node> value = family();
        switch (kind.text()) {
            case "table" -> table(first, verb, value);
            case "chain" -> {
                value.put("table", in.value("the name of a table"));
                chain(first, verb, value);
            }
            case "rule" -> {
                rule(first, verb, value);
                return;
            }
            case "set", "map" -> {
                value.put("table", in.value("the name of a table"));
                set(first, verb, kind.text(), value);
            }
            case "element" -> {
                value.put("table", in.value("the name of a table"));
                value.put("name", in.value("the name of a set"));
                value.put("elem", elements(expressions.set()));
                add(first, verb.isEmpty() ? "add" : verb, "element", value);
            }
            case "counter", "quota", "limit", "flowtable", "ct", "secmark", "synproxy" -> {
                value.put("table", in.value("the name of a table"));
                object(first, verb, kind, value);
            }
            default ->
                    throw kind.refused(
                            "begins no command that Sluice reads; write the file as nft list ruleset"
                                    + " prints it");
        }
        in.endStatement();
    }

    /** A new value, with the family that comes next, or ip. */
    private Map<String, Node> family() {
        Map<String, Node> value = new LinkedHashMap<>();
        boolean named = FAMILIES.contains(in.peek().text());
        value.put("family", named ? in.next().node() : new Node(in.peek().at(), "ip"));
        return value;
    }

    private void table(Token first, String verb, Map<String, Node> value) throws RefusedException {
        if (verb.matches("delete|destroy") && in.take("handle")) {
            throw in.last().refused("names a table by its number; name it by its name");
        }
        Node name = in.value("the name of a table");
        value.put("name", name);
        if (!verb.matches("|add|create")) {
            add(first, verb, "table", value);
            return;
        }
        Map<String, Node> made = new LinkedHashMap<>(value);
        add(first, verb.isEmpty() ? "add" : verb, "table", made);
        if (!in.take("{")) {
            return;
        }
        Map<String, Node> inner = new LinkedHashMap<>();
        inner.put("family", value.get("family"));
        inner.put("table", name);
        in.open();
        tableBlock(made, inner);
        in.close();
        in.need("}");
    }

    private void tableBlock(Map<String, Node> table, Map<String, Node> in0)
            throws RefusedException {
        in.skipEnds();
        while (!in.sees("}") && !in.atEnd()) {
            if (common(reader -> reader.tableBlock(table, in0))) {
                continue;
            }
            Token kind = in.next();
            Map<String, Node> value = new LinkedHashMap<>(in0);
            switch (kind.text()) {
                case "chain" -> chain(kind, "add", value);
                case "set", "map" -> set(kind, "add", kind.text(), value);
                case "counter", "quota", "limit", "flowtable", "ct", "secmark", "synproxy" ->
                        object(kind, "add", kind, value);
                case "comment" -> in.comment();
                case "flags" -> table.put("flags", words());
                default ->
                        throw kind.refused(
                                "begins nothing that a table holds; write chain, set, map or an"
                                        + " object there");
            }
            in.endStatement();
        }
    }

    private Node words() throws RefusedException {
        Token first = in.peek();
        List<Node> all = new ArrayList<>();
        do {
            all.add(in.word("a flag").node());
        } while (in.take(","));
        return new Node(first.at(), all);
    }

    private void chain(Token first, String verb, Map<String, Node> value) throws RefusedException {
        value.put("name", in.value("the name of a chain"));
        if (!verb.matches("|add|create")) {
            add(first, verb, "chain", value);
            return;
        }
        Map<String, Node> chain = new LinkedHashMap<>(value);
        add(first, verb.isEmpty() ? "add" : verb, "chain", chain);
        if (!in.take("{")) {
            return;
        }
        in.open();
        chainBlock(chain);
        in.close();
        in.need("}");
    }

    private void chainBlock(Map<String, Node> chain) throws RefusedException {
        in.skipEnds();
        while (!in.sees("}") && !in.atEnd()) {
            if (common(reader -> reader.chainBlock(chain))) {
                continue;
            }
            Token first = in.peek();
            if (in.take("type")) {
                hook(chain, first);
            } else if (in.take("policy")) {
                if (chain.containsKey("policy")) {
                    throw first.refused("is a second policy of the chain; keep one");
                }
                Node policy = in.sees("$") ? in.variable() : in.word("accept or drop").node();
                if (!policy.is("accept") && !policy.is("drop")) {
                    throw policy.refused("is no policy; write accept or drop");
                }
                chain.put("policy", policy);
                chain.put("policyAt", new Node(first.at(), in.from(first)));
            } else if (in.take("flags")) {
                in.need("offload");
            } else if (in.sees("comment")) {
                in.next();
                in.comment();
            } else if (in.take("devices")) {
                in.need("=");
                expressions.set();
            } else {
                inChain(chain);
                continue;
            }
            in.endStatement();
        }
    }

    private void hook(Map<String, Node> chain, Token first) throws RefusedException {
        if (chain.containsKey("hook")) {
            throw first.refused("is a second hook of the chain; keep one");
        }
        chain.put("type", in.word("filter, nat or route").node());
        in.need("hook");
        Node hook = in.word("a hook").node();
        chain.put("hook", hook);
        if (in.take("device")) {
            chain.put("dev", in.value("a device"));
        } else if (in.take("devices")) {
            in.need("=");
            chain.put("dev", expressions.set());
        } else if (hook.text().matches("ingress|egress")) { // JSON does not tell several
            throw hook.refused("wants a device; write device NAME behind it");
        }
        Token priority = in.need("priority");
        Node base = sign();
        BigInteger offset = BigInteger.ZERO;
        if (in.sees("+") || in.sees("-")) {
            boolean minus = in.next().is("-");
            offset = in.value("a number").number(31);
            offset = minus ? offset.negate() : offset;
        }
        chain.put("prio", Node.object(priority.at(), "base", base, "offset", offset.toString()));
        chain.put("hookAt", new Node(first.at(), in.from(first)));
    }

    /** A word, or a number with its sign. */
    private Node sign() throws RefusedException {
        Token first = in.peek();
        if (in.take("-")) {
            return new Node(first.at(), "-" + in.word("a number").text());
        }
        return in.value("a priority");
    }

    /** A rule of a chain's block. */
    private void inChain(Map<String, Node> chain) throws RefusedException {
        Map<String, Node> rule = new LinkedHashMap<>();
        rule.put("family", chain.get("family"));
        rule.put("table", chain.get("table"));
        rule.put("chain", chain.get("name"));
        Token first = in.peek();
        statements(rule);
        add(first, "add", "rule", rule);
    }

    private void statements(Map<String, Node> rule) throws RefusedException {
        Token first = in.peek();
        List<Node> read = new ArrayList<>();
        try {
            statements.readAll(read);
            if (in.take("comment")) {
                rule.put("comment", in.comment());
            }
            rule.put("text", new Node(first.at(), in.from(first)));
            in.endStatement();
        } catch (RefusedException e) {
            boolean skips = reports.skips(e);
            in.skipStatement();
            rule.put("text", new Node(first.at(), in.from(first)));
            if (!skips) {
                return;
            }
            read.add(Node.of(first.at(), "skipped", null));
            in.skipEnds();
        } finally {
            rule.put("expr", new Node(first.at(), read));
        }
    }

    private void rule(Token first, String verb, Map<String, Node> value) throws RefusedException {
        if (!verb.matches("|add|insert")) {
            throw first.refused(
                    "changes a rule by its number; load the file and judge the output of nft list"
                            + " ruleset");
        }
        value.put("table", in.value("the name of a table"));
        value.put("chain", in.value("the name of a chain"));
        for (String place : List.of("handle", "index", "position")) {
            if (in.sees(place)) {
                Token word = in.next();
                Node number = in.word("a number").node();
                if (!place.equals("index")) {
                    throw word.refused(
                            "names a place by a rule's number; load the file and judge the output of"
                                    + " nft list ruleset");
                }
                value.put("index", number);
            }
        }
        statements(value);
        add(first, verb.isEmpty() ? "add" : verb, "rule", value);
    }

    private void set(Token first, String verb, String kind, Map<String, Node> value)
            throws RefusedException {
        value.put("name", in.value("the name of a " + kind));
        if (verb.matches("|add|create") && in.take("{")) {
            new SetReader(in, expressions, value, kind).read();
            in.need("}");
        }
        add(first, verb.isEmpty() ? "add" : verb, kind, value);
    }

    /** The elements of a set, as a list. */
    private static Node elements(Node set) {
        return set.inner();
    }

    /** An object that bears on no outcome, or on an unknown one: its name is kept. */
    private void object(Token first, String verb, Token kind, Map<String, Node> value)
            throws RefusedException {
        String name = kind.text();
        if (kind.is("ct")) {
            Token of = in.word("helper, timeout or expectation");
            if (!of.text().matches("helper|timeout|expectation")) {
                throw of.refused("is no object of ct; write helper, timeout or expectation");
            }
            name += " " + of.text();
        }
        value.put("name", in.value("a name"));
        if (name.matches("counter|quota|limit") && in.sees("{")) {
            in.next();
            new ObjectReader(in).read(kind);
            in.need("}");
        } else if (kind.is("ct") && in.take("{")) {
            new ObjectReader(in).readOfConnections(name.substring("ct ".length()));
            in.need("}");
        } else if (in.take("{")) {
            in.skipStatement();
            while (!in.sees("}") && !in.atEnd()) {
                in.next();
                in.skipStatement();
            }
            in.need("}");
        }
        add(first, verb.isEmpty() ? "add" : verb, name, value);
    }
}
