package org.samewire.chat;

/** What somebody said. */
record Message(long id, String user, String text) {}
