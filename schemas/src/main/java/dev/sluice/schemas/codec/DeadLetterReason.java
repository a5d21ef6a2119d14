package dev.sluice.schemas.codec;

/**
 * Reason why a packet or a message is refused: the text by which dead letters are counted, and its
 * meaning, from which the table of {@code docs/operations.md} is made.
 *
 * <p>What a text begins with says what is refused: a packet ({@code truncated}, {@code malformed:},
 * {@code unsupported-}), a whole {@code message:}, a single {@code header:}, a {@code block:}, or a
 * message or transaction of the {@code rules:}.
 */
public enum DeadLetterReason {
    TRUNCATED("truncated", "The capture cut the frame before the end of a field that is needed."),
    LINK_HEADER_SHORT("malformed:link-header-short", "The link header lies beyond the frame."),
    IP_VERSION("malformed:ip-version", "The IP version is not the one that the link announces."),
    IP_HEADER_LENGTH("malformed:ip-header-length", "The IPv4 header length is below 5 words."),
    IP_HEADER_SHORT("malformed:ip-header-short", "The IP header lies beyond the frame."),
    IP_TOTAL_LENGTH("malformed:ip-total-length", "The IPv4 total length is below the header's."),
    IPV6_EXTENSION("malformed:ipv6-extension", "An IPv6 extension lies beyond the payload."),
    L4_SHORT("malformed:l4-short", "Ports, ICMP type and code or TCP flags lie beyond the packet."),
    UNSUPPORTED_LINK(
            "unsupported-link",
            "Sluice does not read the link type, whose number follows; captures.md lists those it reads."),
    UNSUPPORTED_TUNNEL_DEPTH(
            "unsupported-tunnel-depth", "More tunnels lie in each other than are looked through."),

    NOT_AVRO("message: not Avro", "The message has no Avro single-object marker."),
    UNKNOWN_SCHEMA(
            "message: unknown schema",
            "No schema of this version has the message's fingerprint or registry id; upgrade Sluice, or say --schema-id."),
    WRONG_SCHEMA("message: wrong schema", "The message is of a kind that its topic does not hold."),
    CORRUPT("message: truncated or corrupt", "The bytes do not fit the message's schema."),

    HEADER_ADDRESSES("header: addresses", "The addresses are not both of 4 or both of 16 bytes."),
    HEADER_FIELD("header: field out of range", "A field's value needs more bits than it has."),
    HEADER_TEXT("header: text too long", "The capture's name has more than 4,096 bytes."),

    BLOCK_TEXT("block: text too long", "The capture's name has more than 4,096 bytes."),
    BLOCK_COUNT("block: count", "The number of packets is 0, or more than a block may have."),
    BLOCK_SHARD(
            "block: shard",
            "The flow shard is beyond the job's; export with the --shards that the job has."),
    BLOCK_PLACE("block: place", "The packets' place in Kafka is impossible."),
    BLOCK_NUMBERS("block: no packet numbers", "The column of packet numbers is missing."),
    BLOCK_COLUMN("block: column missing", "A verdict block lacks its packets or its rules."),
    BLOCK_COLUMN_LENGTH("block: column length", "A column's bytes do not fit its values."),
    BLOCK_COLUMN_TWICE("block: column twice", "A column comes twice."),
    BLOCK_RULE_INDEX("block: rule index", "A verdict names a rule that its block does not list."),
    BLOCK_ACTIONS("block: actions", "The actions are not as many as the rules."),
    BLOCK_ANSWERS("block: answers", "The answers of a policy are not one more than the rules."),
    BLOCK_OTHER_PACKETS(
            "block: other packets", "A verdict block names packets that stand elsewhere."),
    BLOCK_PACKETS_DELETED(
            "block: packets deleted",
            "Kafka deleted the packets that verdicts name; keep that topic as long as the verdicts."),

    RULES_TEXT("rules: text too long", "A name, an action or an id has more than 4,096 bytes."),
    RULES_UNKNOWN_KIND(
            "rules: unknown kind of change",
            "A later version of Sluice wrote it; upgrade this one."),
    RULES_MATCH_WORDS(
            "rules: match words",
            "A rule's words, values and masks do not fit, or all rules name too many words."),
    RULES_PORT_RANGE("rules: port range", "A rule's port range is empty."),
    RULES_PLACE("rules: place", "A rule's place leaves no room before it."),
    RULES_CHUNK_MISSING("rules: chunk missing", "A part of the transaction did not come."),
    RULES_LINE_SHIFTS("rules: line shifts", "The shifts of lines are not in order."),
    RULES_UNFINISHED(
            "rules: unfinished transaction",
            "The next BEGIN came before the transaction's COMMIT."),
    RULES_NO_BEGIN("rules: commit without its begin", "The COMMIT's BEGIN did not come."),
    RULES_VERSION_RANGE("rules: version out of range", "The version's number is negative or huge."),
    RULES_VERSION_BACK("rules: version goes back", "The version's number is not above the last."),
    RULES_TIME_BACK(
            "rules: effective time goes back",
            "The version is to be in force before the last one, or before a heartbeat's time."),
    RULES_NO_BASE(
            "rules: delta without its base",
            "The version that the transaction changes is not there; publish a --snapshot."),
    RULES_ORDER("rules: order", "Rules of equal priority have no order, or the same place."),
    RULES_STATE("rules: state", "A checkpoint's rules cannot be read."),
    RULES_NOT_SERVED(
            "rules: cannot be served",
            "The engine cannot serve the version with its options; the one before stays in force.");

    private final String text;
    private final String meaning;

    DeadLetterReason(String text, String meaning) {
        this.text = text;
        this.meaning = meaning;
    }

    /** The stable text that messages, metrics and commands have. */
    public String text() {
        return text;
    }

    /** One sentence for an operator: what is wrong, and what to do where something can be done. */
    public String meaning() {
        return meaning;
    }
}
