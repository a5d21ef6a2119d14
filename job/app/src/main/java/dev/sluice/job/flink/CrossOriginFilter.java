package dev.sluice.job.flink;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFuture;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderValues;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpUtil;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.LastHttpContent;
import org.apache.flink.shaded.netty4.io.netty.util.NetUtil;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * HTTP filter that refuses, with status 403, requests sent by a browser for a web page of another
 * origin.
 *
 * <p>A browser sets these headers itself, and no page can change them:
 *
 * <ul>
 *   <li>{@code Host}: the name in the address bar. An attacker's name that resolves to this machine
 *       (DNS rebinding) is none of the cluster's own, and no IP address.
 *   <li>{@code Origin}: the origin of the page. It must be this host and port; {@code null}, of a
 *       sandboxed frame, is another origin.
 *   <li>{@code Sec-Fetch-Site}: {@code cross-site} and {@code same-site} denote a page of another
 *       origin where a request has no {@code Origin}, such as an image's.
 * </ul>
 *
 * <p>Programs such as curl and Flink's own client send no {@code Origin}, and pass. The filter
 * stops misled browsers, not people: whoever reaches the port can send any request.
 */
final class CrossOriginFilter extends ChannelInboundHandlerAdapter {
    private static final String FETCH_SITE = "Sec-Fetch-Site";
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final Set<String> names;

    /** Answer to the refused request; the connection ends with it. */
    private @Nullable ChannelFuture refusal;

    /**
     * Creates the filter of one connection.
     *
     * @param names of the cluster, any case
     */
    CrossOriginFilter(Set<String> names) {
        this.names = names;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (refusal == null && message instanceof HttpRequest request) {
            String why = refused(request, context);
            refusal = why == null ? null : refuse(request, why, context);
        }
        if (refusal == null) {
            context.fireChannelRead(message);
            return;
        }
        if (message instanceof LastHttpContent) {
            refusal = refusal.addListener(ChannelFutureListener.CLOSE);
        }
        ReferenceCountUtil.release(message);
    }

    private @Nullable String refused(HttpRequest request, ChannelHandlerContext context) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1) {
            return "a request needs one Host header, and this one has " + hosts.size();
        }
        String host = hosts.get(0);
        if (!isOwn(name(host), context)) {
            return "this cluster is not known as %s; open it as one of %s".formatted(host, names);
        }
        for (String origin : request.headers().getAll(HttpHeaderNames.ORIGIN)) {
            if (!origin.equalsIgnoreCase("http://" + host)
                    && !origin.equalsIgnoreCase("https://" + host)) {
                return "pages of %s may not use the cluster at %s".formatted(origin, host);
            }
        }
        for (String site : request.headers().getAll(FETCH_SITE)) {
            if (!OWN_SITES.contains(site)) {
                return "a page of another site asks (%s: %s); type the address into the browser by hand"
                        .formatted(FETCH_SITE, site);
            }
        }
        return null;
    }

    /**
     * Returns the name in a Host header, without port and without the brackets of an IPv6 address.
     */
    private static String name(String host) {
        if (host.startsWith("[")) {
            return host.substring(1, Math.max(1, host.indexOf(']')));
        }
        int colon = host.lastIndexOf(':');
        return colon < 0 ? host : host.substring(0, colon);
    }

    /**
     * Tells whether a name is the cluster's: a configured one, a loopback address, or the address
     * of this connection.
     *
     * <p>Unlike a name, an address cannot be made to resolve to this machine.
     */
    private boolean isOwn(String name, ChannelHandlerContext context) {
        if (names.contains(name)) {
            return true;
        }
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(name);
        if (bytes == null) {
            return false;
        }
        try {
            InetAddress address = InetAddress.getByAddress(bytes);
            return address.isLoopbackAddress()
                    || context.channel().localAddress() instanceof InetSocketAddress reached
                            && address.equals(reached.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException(name + " has " + bytes.length + " bytes", e);
        }
    }

    private static ChannelFuture refuse(
            HttpRequest request, String why, ChannelHandlerContext context) {
        var body = JsonNodeFactory.instance.objectNode();
        body.putArray("errors").add(why);
        FullHttpResponse answer =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.FORBIDDEN,
                        Unpooled.copiedBuffer(body.toString(), StandardCharsets.UTF_8));
        answer.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
        answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        HttpUtil.setContentLength(answer, answer.content().readableBytes());
        ChannelFuture sent = context.writeAndFlush(answer);
        if (HttpUtil.is100ContinueExpected(request)) {
            sent = sent.addListener(ChannelFutureListener.CLOSE); // no body follows
        }
        return sent;
    }
}
