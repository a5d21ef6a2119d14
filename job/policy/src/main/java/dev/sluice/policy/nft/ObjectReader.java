package dev.sluice.policy.nft;

/** Reader of the block of a counter, a limit or a quota with a name. */
final class ObjectReader {
    private final Cursor in;
    private final AmountReader amounts;

    ObjectReader(Cursor in) {
        this.in = in;
        this.amounts = new AmountReader(in);
    }

    /** Reads what a helper, a timeout or an expectation of connections has. */
    void readOfConnections(String kind) throws RefusedException {
        in.skipEnds();
        while (!in.sees("}") && !in.atEnd()) {
            Token key = in.next();
            switch (kind + " " + key.text()) {
                case "helper comment", "timeout comment", "expectation comment" -> in.comment();
                case "helper type" -> {
                    in.quoted("the name of a helper");
                    in.need("protocol");
                    one("tcp or udp", "tcp|udp");
                }
                case "timeout protocol", "expectation protocol" -> one("tcp or udp", "tcp|udp");
                case "helper l3proto", "timeout l3proto", "expectation l3proto" ->
                        one("a family", "ip|ip6|inet|arp|bridge|netdev");
                case "timeout policy" -> {
                    in.need("=");
                    in.need("{");
                    do {
                        in.word("a state");
                        in.need(":");
                        one("seconds", "([0-9]+[dhms]?)+");
                    } while (in.take(","));
                    in.need("}");
                }
                case "expectation dport", "expectation size" -> one("a number", "[0-9]+");
                case "expectation timeout" -> amounts.time();
                default -> throw key.refused("is nothing that a %s has; remove it".formatted(kind));
            }
            in.endStatement();
        }
    }

    private void one(String what, String pattern) throws RefusedException {
        Token word = in.word(what);
        if (!word.text().matches(pattern)) {
            throw word.refused("stands where nft wants %s; write it there".formatted(what));
        }
    }

    void read(Token kind) throws RefusedException {
        in.skipEnds();
        boolean stated = false;
        while (!in.sees("}") && !in.atEnd()) {
            Token first = in.peek();
            if (in.take("comment")) {
                in.comment();
            } else if (stated) {
                throw first.refused("stands behind all that the object has; remove it");
            } else {
                stated = true;
                switch (kind.text()) {
                    case "counter" -> {
                        if (amounts.counter(first).map().isEmpty()) {
                            throw first.refused("is no counter; write packets 0 bytes 0");
                        }
                    }
                    case "limit" -> amounts.limit(first);
                    default -> amounts.quota(first);
                }
            }
            if (!in.sees("}") || kind.is("limit")) {
                in.endStatement();
            }
        }
        if (!stated && !kind.is("counter")) {
            throw in.peek().refused("ends an object without its rate or amount; write it");
        }
    }
}
