package org.samewire.chat.room;

/** What somebody said. */
record Message(long id, String user, String text) {}
