package dev.sluice.policy.kernel;

/** Kernel interface by which {@code iptables-restore} loads rules. */
enum Backend {
    LEGACY("legacy"),
    NFT("nft");

    private final String infix;

    Backend(String infix) {
        this.infix = infix;
    }

    String words() {
        return infix;
    }

    /** Returns the program that loads a text as {@code iptables-save} prints it. */
    String restore(int version) {
        return (version == 4 ? "iptables-" : "ip6tables-") + infix + "-restore";
    }
}
