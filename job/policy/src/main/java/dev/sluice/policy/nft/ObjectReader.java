package dev.sluice.policy.nft;

/** Reader of the block of a counter, a limit or a quota with a name. */
final class ObjectReader {
    private final Cursor in;
    private final AmountReader amounts;

    ObjectReader(Cursor in) {
        this.in = in;
        this.amounts = new AmountReader(in);
    }

    void read(Token kind) throws RefusedException {
        in.skipEnds();
        boolean stated = false;
        while (!in.sees("}") && !in.atEnd()) {
            Token first = in.peek();
            if (in.take("comment")) {
                in.quoted("a comment");
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
